/** The embedding model behind every fake provider: the same vector for the same text, in every run. */
import { createHash } from 'node:crypto';
import { seededRandom } from '../seeded-random.ts';

/** 32-bit floats from -1 to 1. */
export function simulateVector(text: string, dimensions: number): Float32Array {
  const random = seededRandom(createHash('sha256').update(text).digest().readUInt32LE());
  return Float32Array.from({ length: dimensions }, () => random() * 2 - 1);
}

/** The vector that a client in JavaScript receives. */
export function simulatedNumbers(text: string, dimensions: number): number[] {
  return Array.from(simulateVector(text, dimensions));
}

/** A token for each word. */
export function countTokens(text: string): number {
  return text.trim().split(/\s+/).length;
}

export function sumTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + countTokens(text), 0);
}
