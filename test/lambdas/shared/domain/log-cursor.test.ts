import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from '../../../../lambdas/shared/domain/log-cursor.ts';

const id = '019c1159-7009-7771-86ff-83e9ba0c0d00';
const refusal = expect.objectContaining({
  status: 400,
  param: 'cursor',
  message:
    'cursor must be the next_cursor of a page with the same parameters (only limit may change); without it, the list begins anew',
});

describe('a cursor', () => {
  it('brings the position back', () => {
    const uuids = fc.uuid();
    fc.assert(
      fc.property(uuids, fc.nat(10_000), fc.string(), (before, toSkip, scope) => {
        expect(readCursor(writeCursor({ before, toSkip }, scope), scope)).toEqual({ before, toSkip });
      }),
    );
  });

  it('is text that needs no encoding in a URL', () => {
    expect(writeCursor({ before: id, toSkip: 10_000 }, 'scope')).toMatch(/^[\w-]{35}$/);
  });

  it('is refused for another scope', () => {
    const cursor = writeCursor({ before: id, toSkip: 0 }, '["org_1"]');
    expect(() => readCursor(cursor, '["org_2"]')).toThrow(refusal);
  });

  it('is refused when any of its characters was changed, taken or added', () => {
    const cursor = writeCursor({ before: id, toSkip: 7 }, 'scope');
    for (const at of cursor.split('').keys()) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const changed = `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`;
      const shorter = `${cursor.slice(0, at)}${cursor.slice(at + 1)}`;
      const longer = `${cursor.slice(0, at)}A${cursor.slice(at)}`;
      for (const broken of [changed, shorter, longer]) {
        expect(() => readCursor(broken, 'scope')).toThrow(refusal);
      }
    }
  });

  it.each(['', 'x', id, '../../etc/passwd', 'null', 'é', 'AAAA====', 'A'.repeat(35), 'A'.repeat(10_000)])(
    'is not %j',
    (text) => {
      expect(() => readCursor(text, 'scope')).toThrow(refusal);
    },
  );

  it('is refused with padding or in the other alphabet of base64', () => {
    const cursor = writeCursor({ before: 'ffffffff-ffff-ffff-ffff-ffffffffffff', toSkip: 65_535 }, 'scope');
    expect(() => readCursor(`${cursor}=`, 'scope')).toThrow(refusal);
    expect(() => readCursor(cursor.replaceAll('_', '/'), 'scope')).toThrow(refusal);
  });
});
