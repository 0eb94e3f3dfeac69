/** Writes vectors in the encoding that the caller asked for. Every 32-bit float keeps all of its bits. */
import { endianness } from 'node:os';
import { type GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import type { VectorEncoding } from './request.ts';

const bytesPerFloat = 4;
const isBigEndian = endianness() === 'BE';

/** Returns the JSON of the vector. Throws a `GatewayError` for anything but a list of finite numbers. */
export function encodeVector(vector: unknown, encoding: VectorEncoding): string {
  if (typeof vector === 'string') {
    return encoding === 'base64' ? JSON.stringify(vector) : decimalsOf(floatsOf(vector));
  }
  if (!isVector(vector)) throw invalidVectorError();
  return encoding === 'base64' ? `"${base64Of(vector)}"` : decimalsOf(vector);
}

/** True for a vector in this encoding. */
export function isEncodedAs(vector: unknown, encoding: VectorEncoding): boolean {
  return encoding === 'base64' ? typeof vector === 'string' : Array.isArray(vector);
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isFinite);
}

function base64Of(vector: readonly number[]): string {
  const floats = Float32Array.from(vector);
  // A number beyond the largest 32-bit float has become infinite.
  if (!floats.every(Number.isFinite)) throw invalidVectorError();
  const bytes = Buffer.from(floats.buffer);
  return (isBigEndian ? bytes.swap32() : bytes).toString('base64');
}

function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0 || bytes.length % bytesPerFloat !== 0) throw invalidVectorError();
  const floats = Array.from({ length: bytes.length / bytesPerFloat }, (_, index) =>
    bytes.readFloatLE(index * bytesPerFloat),
  );
  if (!floats.every(Number.isFinite)) throw invalidVectorError();
  return floats;
}

/** `JSON.stringify` writes -0 as 0. */
function decimalsOf(vector: readonly number[]): string {
  if (!vector.some((value) => Object.is(value, -0))) return JSON.stringify(vector);
  return `[${vector.map((value) => (Object.is(value, -0) ? '-0' : JSON.stringify(value))).join(',')}]`;
}

function invalidVectorError(): GatewayError {
  return unusableResponseError('The provider sent an embedding that is not a vector');
}
