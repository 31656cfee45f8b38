import { isLosslessNumber, type LosslessNumber } from 'lossless-json';

/** A JSON value whose numbers keep every digit they were written with. */
export type Json = null | boolean | string | LosslessNumber | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}
