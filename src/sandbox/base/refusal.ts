/** The service says no: becomes the error body `{statusCode, code, message}`. */
export class Refusal extends Error {
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.name = 'Refusal';
    this.statusCode = statusCode;
    this.code = code;
  }
}

export const invalid = (message: string): Refusal => new Refusal(400, 'VALIDATION_ERROR', message);

export const notFound = (what: string): Refusal => new Refusal(404, 'NOT_FOUND', `${what} not found`);

/** @throws {Refusal} where there is none. */
export function existing<T>(record: T | null | undefined, what: string): T {
  if (!record) throw notFound(what);
  return record;
}

/** For moves that somebody else's may have made impossible: a refusal means that nothing happens. */
export function unlessRefused(move: () => void): void {
  try {
    move();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
