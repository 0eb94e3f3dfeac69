/** Writes vectors in the encoding that the caller asked for. Every 32-bit float keeps all of its bits. */
import { endianness } from 'node:os';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { VectorEncoding } from './request.ts';

const bytesPerFloat = 4;
const isBigEndian = endianness() === 'BE';

/** Returns the JSON of the vector. Throws a `GatewayError` for anything but a list of numbers. */
export function encodeVector(vector: unknown, encoding: VectorEncoding): string {
  if (typeof vector === 'string') {
    return encoding === 'base64' ? JSON.stringify(vector) : JSON.stringify(floatsOf(vector));
  }
  if (!Array.isArray(vector) || !vector.every((value) => typeof value === 'number'))
    throw invalidVectorError();
  return encoding === 'base64' ? `"${base64Of(vector)}"` : JSON.stringify(vector);
}

/** True for a vector in this encoding. */
export function isEncodedAs(vector: unknown, encoding: VectorEncoding): boolean {
  return encoding === 'base64' ? typeof vector === 'string' : Array.isArray(vector);
}

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return (isBigEndian ? bytes.swap32() : bytes).toString('base64');
}

function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0 || bytes.length % bytesPerFloat !== 0) throw invalidVectorError();
  return Array.from({ length: bytes.length / bytesPerFloat }, (_, index) =>
    bytes.readFloatLE(index * bytesPerFloat),
  );
}

function invalidVectorError(): GatewayError {
  return new GatewayError('provider_error', {
    message: 'The provider sent an embedding that is not a vector',
  });
}
