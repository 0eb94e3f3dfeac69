import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newCursorKey } from '#lambdas/access/organizations.ts';
import { readCursor, writeCursor } from '#lambdas/request-log/report/cursor.ts';
import { fc } from '#test/support/fast-check.ts';

const id = '019c1159-7009-7771-86ff-83e9ba0c0d00';
const seal = { scope: 'scope', key: newCursorKey() };
const refusal = expect.objectContaining({
  status: 400,
  param: 'cursor',
  message:
    'cursor must be the next_cursor of a page with the same parameters (only limit may change); without it, the list begins anew',
});

const keys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((key) => Buffer.from(key).toString('base64url'));

describe('a cursor', () => {
  it('brings the position back', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(10_000), fc.string(), keys, (before, toSkip, scope, key) => {
        const cursor = writeCursor({ before, toSkip }, { scope, key });
        expect(readCursor(cursor, { scope, key })).toEqual({ before, toSkip });
      }),
    );
  });

  it('is text that needs no encoding in a URL', () => {
    expect(writeCursor({ before: id, toSkip: 10_000 }, seal)).toMatch(/^[\w-]{46}$/);
  });

  it('is signed by HMAC-SHA-256 over the position and what it is good for', () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef').toString('base64url');
    // printf '019c11597009777186ff83e9ba0c0d00000773636f7065' | xxd -r -p |
    //   openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
    expect(Buffer.from(writeCursor({ before: id, toSkip: 7 }, { scope: 'scope', key }), 'base64url')).toEqual(
      Buffer.from('019c11597009777186ff83e9ba0c0d00000761d304b629a311314c1a742a283f1603', 'hex'),
    );
  });

  it.each([
    ['another scope', { ...seal, scope: 'scop' }],
    ['another key', { ...seal, key: newCursorKey() }],
    ['no key', { ...seal, key: '' }],
  ])('is refused with %s', (_case, other) => {
    expect(() => readCursor(writeCursor({ before: id, toSkip: 0 }, seal), other)).toThrow(refusal);
    expect(() => readCursor(writeCursor({ before: id, toSkip: 0 }, other), seal)).toThrow(refusal);
  });

  it('is refused when any of its characters was changed, taken or added', () => {
    const cursor = writeCursor({ before: id, toSkip: 7 }, seal);
    for (const at of cursor.split('').keys()) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const changed = `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`;
      const shorter = `${cursor.slice(0, at)}${cursor.slice(at + 1)}`;
      const longer = `${cursor.slice(0, at)}A${cursor.slice(at)}`;
      for (const broken of [changed, shorter, longer]) {
        expect(() => readCursor(broken, seal)).toThrow(refusal);
      }
    }
  });

  it('is refused when any of its bits was flipped, whatever it says', () => {
    const bits = fc.nat(34 * 8 - 1);
    fc.assert(
      fc.property(fc.uuid(), fc.nat(10_000), fc.string(), keys, bits, (before, toSkip, scope, key, bit) => {
        const bytes = Buffer.from(writeCursor({ before, toSkip }, { scope, key }), 'base64url');
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => readCursor(bytes.toString('base64url'), { scope, key })).toThrow(refusal);
      }),
    );
  });

  it('cannot be computed without the key', () => {
    const position = Buffer.from(`${id.replaceAll('-', '')}0007`, 'hex');
    const digest = createHash('sha256').update(position).update(seal.scope).digest();
    for (const length of [8, 16, 32]) {
      const forged = Buffer.concat([position, digest.subarray(0, length)]).toString('base64url');
      expect(() => readCursor(forged, seal)).toThrow(refusal);
    }
  });

  it.each([
    '',
    'x',
    id,
    '../../etc/passwd',
    'null',
    'é',
    'AAAA====',
    'A'.repeat(24),
    'A'.repeat(46),
    'A'.repeat(10_000),
  ])('is not %j', (text) => {
    expect(() => readCursor(text, seal)).toThrow(refusal);
  });

  it('is refused with padding or in the other alphabet of base64', () => {
    const cursor = writeCursor({ before: 'ffffffff-ffff-ffff-ffff-ffffffffffff', toSkip: 65_535 }, seal);
    expect(() => readCursor(`${cursor}=`, seal)).toThrow(refusal);
    expect(() => readCursor(cursor.replaceAll('_', '/'), seal)).toThrow(refusal);
  });
});

describe('a cursor key', () => {
  it('is 32 random bytes', () => {
    const made = Array.from({ length: 100 }, newCursorKey);
    expect(made.filter((key) => Buffer.from(key, 'base64url').length === 32)).toEqual(made);
    expect(new Set(made).size).toBe(100);
  });
});
