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
