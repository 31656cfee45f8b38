import fc from 'fast-check';

// A mutant meets the same worlds on each run, and one world that fails is enough.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1, endOnFailure: true });
