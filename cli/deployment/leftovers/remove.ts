/** Removes leftovers that hold no data. */

import { isCallError } from '#cli/connection/aws-errors.ts';
import type { Leftover } from './find.ts';

export type Contents = { state: 'empty' } | { state: 'data' | 'unknown'; reason: string };

type Removal = { result: 'removed' } | { result: 'refused' | 'failed'; reason: string };

/** A resource whose contents nobody can tell counts as one with data. */
export async function inspect({ kind, id }: Leftover): Promise<Contents> {
  try {
    const data = await kind.findData(id);
    return data === null ? { state: 'empty' } : { state: 'data', reason: data };
  } catch (error) {
    return { state: 'unknown', reason: `cannot be checked: ${reasonOf(error)}` };
  }
}

export async function removeIfEmpty(leftover: Leftover): Promise<Removal> {
  const contents = await inspect(leftover);
  if (contents.state !== 'empty') return { result: 'refused', reason: contents.reason };
  try {
    await leftover.kind.remove(leftover.id);
    return { result: 'removed' };
  } catch (error) {
    return { result: 'failed', reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!isCallError(error)) throw error;
  return `${error.name}: ${error.message}`;
}
