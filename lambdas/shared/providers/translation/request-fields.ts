/** Single fields of a request, each checked with an error that names it. `null` is as good as not there. */
import { invalidRequest } from '../../domain/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function readText(value: unknown, param: string): string {
  if (typeof value !== 'string') throw invalidRequest(param, `${param} must be text`);
  return value;
}

export function readObject(value: unknown, param: string): JsonObject {
  if (!isJsonObject(value)) throw invalidRequest(param, `${param} must be an object`);
  return value;
}

export function readOptionalText(value: unknown, param: string): string | null {
  return isAbsent(value) ? null : readText(value, param);
}

export function readOptionalNumber(value: unknown, param: string): number | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'number') throw invalidRequest(param, `${param} must be a number`);
  return value;
}

export function readOptionalBoolean(value: unknown, param: string): boolean | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'boolean') throw invalidRequest(param, `${param} must be true or false`);
  return value;
}

export function readOptionalList(value: unknown, param: string): unknown[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw invalidRequest(param, `${param} must be a list`);
  return value;
}
