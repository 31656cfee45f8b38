import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.js';

/** What a customer or a sender may put into any text of an event, each meant for another reader of it. */
export const HOSTILE_TEXTS: readonly string[] = [
  `'; DROP TABLE inbox; --`,
  `" OR "1"="1`,
  `$1 ?? ? :name %s \\' \\x27 $$;$$`,
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  `"'></td><b onclick='x'>&lt;&#60;`,
  '${process.exit(1)} {{7*7}} <%= it.x %> #{1}',
  '=HYPERLINK("http://evil.example","x") @SUM(1) +1 -1',
  '\u001b[2J\u001b]0;owned\u0007\u009b31m\u007f\b',
  'a\r\n{"level":60,"msg":"forged"}\n\u2028\u2029\u0085',
  '\u202eexe.gpj\u2066\u200f\u2069',
  '\u0000\u0000',
  '\ud800 lone \udfff',
  '../../etc/passwd\u0000.png',
  '__proto__',
  'NULL',
  '\\N',
  '{a,b}',
  '😀é\u0301\ufeff\uffff\ufffe',
];

/** A hostile text, or a mixture of their pieces with anything else. */
export const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'\'"\\<>&\0\n\r\u001b\u009b\u202e\u2028$`{}%?:;,=\ud800'.split('')),
      anyCharacter,
    ),
    maxLength: 40,
  }),
);

/** Everything but a line feed and a tab that moves a cursor, or turns a line around. */

export const drivesTerminals = /(?![\n\t])\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Of pairs of surrogates only: what an address can hold. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);
