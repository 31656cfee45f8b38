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

export function invalid(message: string): Refusal {
  return new Refusal(400, 'VALIDATION_ERROR', message);
}

export function notFound(what: string): Refusal {
  return new Refusal(404, 'NOT_FOUND', `${what} not found`);
}
