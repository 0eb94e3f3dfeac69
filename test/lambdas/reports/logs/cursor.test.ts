import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newCursorKey } from '#lambdas/access/organizations/change.ts';
import { readCursor, writeCursor } from '#lambdas/reports/logs/cursor.ts';
import { fc } from '#test/support/fast-check.ts';

const id = '019c1159-7009-7771-86ff-83e9ba0c0d00';
const context = { scope: 'scope', key: newCursorKey() };
const invalidCursor = expect.objectContaining({
  status: 400,
  param: 'cursor',
  message:
    'cursor must be the next_cursor of a page with the same parameters (only limit may change); omit it to start at the newest entry',
});

const keys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((key) => Buffer.from(key).toString('base64url'));

describe('writeCursor and readCursor', () => {
  it('round-trips the position', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(10_000), fc.string(), keys, (after, toSkip, scope, key) => {
        const cursor = writeCursor({ after, toSkip }, { scope, key });
        expect(readCursor(cursor, { scope, key })).toEqual({ after, toSkip });
      }),
    );
  });

  it('writes text that needs no encoding in a URL', () => {
    expect(writeCursor({ after: id, toSkip: 10_000 }, context)).toMatch(/^[\w-]{46}$/);
  });

  it('signs the position and the scope with HMAC-SHA-256', () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef').toString('base64url');
    // printf '019c11597009777186ff83e9ba0c0d00000773636f7065' | xxd -r -p |
    //   openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
    expect(Buffer.from(writeCursor({ after: id, toSkip: 7 }, { scope: 'scope', key }), 'base64url')).toEqual(
      Buffer.from('019c11597009777186ff83e9ba0c0d00000761d304b629a311314c1a742a283f1603', 'hex'),
    );
  });

  it.each([
    ['another scope', { ...context, scope: 'scop' }],
    ['another key', { ...context, key: newCursorKey() }],
    ['an empty key', { ...context, key: '' }],
  ])('rejects a cursor with %s', (_case, other) => {
    expect(() => readCursor(writeCursor({ after: id, toSkip: 0 }, context), other)).toThrow(invalidCursor);
    expect(() => readCursor(writeCursor({ after: id, toSkip: 0 }, other), context)).toThrow(invalidCursor);
  });

  it('rejects a cursor when any character is changed, removed or added', () => {
    const cursor = writeCursor({ after: id, toSkip: 7 }, context);
    for (const at of cursor.split('').keys()) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const changed = `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`;
      const shorter = `${cursor.slice(0, at)}${cursor.slice(at + 1)}`;
      const longer = `${cursor.slice(0, at)}A${cursor.slice(at)}`;
      for (const forged of [changed, shorter, longer]) {
        expect(() => readCursor(forged, context)).toThrow(invalidCursor);
      }
    }
  });

  it('rejects a cursor when any bit is flipped', () => {
    const bits = fc.nat(34 * 8 - 1);
    fc.assert(
      fc.property(fc.uuid(), fc.nat(10_000), fc.string(), keys, bits, (after, toSkip, scope, key, bit) => {
        const bytes = Buffer.from(writeCursor({ after, toSkip }, { scope, key }), 'base64url');
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => readCursor(bytes.toString('base64url'), { scope, key })).toThrow(invalidCursor);
      }),
    );
  });

  it('rejects a cursor that is signed without the key', () => {
    const position = Buffer.from(`${id.replaceAll('-', '')}0007`, 'hex');
    const digest = createHash('sha256').update(position).update(context.scope).digest();
    for (const length of [8, 16, 32]) {
      const forged = Buffer.concat([position, digest.subarray(0, length)]).toString('base64url');
      expect(() => readCursor(forged, context)).toThrow(invalidCursor);
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
  ])('rejects %j as a cursor', (text) => {
    expect(() => readCursor(text, context)).toThrow(invalidCursor);
  });

  it('rejects a cursor with padding or in the standard base64 alphabet', () => {
    const cursor = writeCursor({ after: 'ffffffff-ffff-ffff-ffff-ffffffffffff', toSkip: 65_535 }, context);
    expect(() => readCursor(`${cursor}=`, context)).toThrow(invalidCursor);
    expect(() => readCursor(cursor.replaceAll('_', '/'), context)).toThrow(invalidCursor);
  });
});

describe('newCursorKey', () => {
  it('returns 32 random bytes', () => {
    const created = Array.from({ length: 100 }, newCursorKey);
    expect(created.filter((key) => Buffer.from(key, 'base64url').length === 32)).toEqual(created);
    expect(new Set(created).size).toBe(100);
  });
});
