import { randomInt } from 'node:crypto';

/** In the order of its characters, in which DynamoDB sorts keys. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function newOrganizationId(): string {
  return `org_${randomBase62(16)}`;
}

const timeDigits = 8;

/** Ids of keys sort by the time of their creation, to the millisecond. */
export function newKeyId(createdAt: Date): string {
  return `key_${base62(createdAt.getTime(), timeDigits)}${randomBase62(8)}`;
}

function base62(value: number, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest = Math.floor(rest / alphabet.length)) {
    text = alphabet.charAt(rest % alphabet.length) + text;
  }
  return text;
}

/** `randomInt` has no modulo bias. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
