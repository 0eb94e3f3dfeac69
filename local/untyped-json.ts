/** Typed access to JSON from outside, with errors that name the path of an unexpected value. */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { LocalGatewayError } from './local-gateway-error.ts';

export { isJsonObject as isObject, type JsonObject, parseJson };

export function asObject(value: unknown, where: string): JsonObject {
  if (!isJsonObject(value)) throw new LocalGatewayError(`${where} must be an object`);
  return value;
}

export function asArray(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new LocalGatewayError(`${where} must be an array`);
  return value;
}

export function asString(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new LocalGatewayError(`${where} must be a string`);
  return value;
}

export function optionalString(value: unknown, where: string): string | undefined {
  return value === undefined ? undefined : asString(value, where);
}

/** Reads a number, which CloudFormation also accepts as a string; returns the default when the value is absent. */
export function numberOr(defaultValue: number, value: unknown, where: string): number {
  if (value === undefined) return defaultValue;
  const number = Number(value);
  if (typeof value === 'object' || Number.isNaN(number))
    throw new LocalGatewayError(`${where} must be a number`);
  return number;
}

/** Wraps a single value in an array, as IAM policies allow both; `undefined` becomes an empty array. */
export function asList(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
