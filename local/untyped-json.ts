/** Access to JSON that came from outside, with errors that say where the unexpected value is. */
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

export function asText(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new LocalGatewayError(`${where} must be a string`);
  return value;
}

/** A string, or nothing when the value is absent. */
export function optionalText(value: unknown, where: string): string | undefined {
  return value === undefined ? undefined : asText(value, where);
}

/** A number (CloudFormation also takes one as a string), or the default when the value is absent. */
export function numberOr(defaultValue: number, value: unknown, where: string): number {
  if (value === undefined) return defaultValue;
  const number = Number(value);
  if (typeof value === 'object' || Number.isNaN(number))
    throw new LocalGatewayError(`${where} must be a number`);
  return number;
}

/** What IAM and others write either as one value or as a list of them. */
export function asList(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
