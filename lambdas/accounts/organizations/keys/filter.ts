/** The keys that a list shows. */
import { isActiveApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readText } from '#lambdas/platform/http/query.ts';

export const listedStates = ['active', 'ended'] as const;

export interface KeyFilter {
  /** Ended keys are those that are revoked or expired. */
  state: (typeof listedStates)[number];
  search: KeySearch | null;
}

export interface KeySearch {
  text: string;
  /** In lower case. */
  partOfName: string;
}

/** A part of the name, the whole id, or the last four characters. Throws a `GatewayError` (400). */
export function readSearch(parameter: string | undefined): KeySearch | null {
  if (parameter === undefined) return null;
  const text = readText('search', parameter).normalize('NFC').trim();
  if (text === '') throw invalidRequestError('search', 'search must not be blank');
  return { text, partOfName: text.toLowerCase() };
}

export function isListed(apiKey: ApiKey, { state, search }: KeyFilter, now: Date): boolean {
  if ((state === 'active') !== isActiveApiKey(apiKey, now)) return false;
  return search === null || isFound(apiKey, search);
}

export function isFound({ id, name, last_four: lastFour }: ApiKey, { text, partOfName }: KeySearch): boolean {
  return name.normalize('NFC').toLowerCase().includes(partOfName) || id === text || lastFour === text;
}

const keyIdPattern = /^key_[0-9A-Za-z]{16}$/;

export function isKeyId(text: string): boolean {
  return keyIdPattern.test(text);
}

/** For pages whose cursor is a position in their order. */
export function cursorError(): ReturnType<typeof invalidRequestError> {
  return invalidRequestError('cursor', 'cursor must be the next_cursor of a page in the same order');
}
