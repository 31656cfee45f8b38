/** What went wrong and was foreseen. `code` is stable; `retryable` says whether trying again can help. */
export abstract class AppError extends Error {
  abstract readonly code: string;
  readonly retryable: boolean = false;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A wrong or missing setting: names the variable, what was given (never a secret) and what is accepted. Exit code 2. */
export class ConfigError extends AppError {
  readonly code = 'config';
}

/** The command line's own words were off. Exit code 2. */
export class UsageError extends AppError {
  readonly code = 'usage';
}
