import { marshall, NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { attributesJson, fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { character, fc } from '#test/support/fast-check.ts';

const number = fc.oneof(fc.maxSafeInteger(), fc.double({ min: -1e15, max: 1e15, noNaN: true }));
const decimal = fc
  .tuple(fc.maxSafeInteger(), fc.nat(999_999_999))
  .map(([whole, fraction]) => NumberValue.from(`${whole}.${fraction}`));
/** Items whose attributes are text, booleans, the given values, and lists and maps of all these. */
const item = (...values: fc.Arbitrary<unknown>[]) =>
  fc.letrec<{ item: Item; value: unknown }>((tie) => ({
    item: fc.dictionary(
      // Attribute names come from the gateway, never from a caller.
      fc.string({ unit: character }).filter((name) => name !== '__proto__'),
      tie('value'),
      { noNullPrototype: true, depthIdentifier: 'attributes' },
    ),
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, depthIdentifier: 'attributes' },
      fc.string({ unit: character }),
      fc.boolean(),
      ...values,
      fc.array(tie('value'), { depthIdentifier: 'attributes' }),
      tie('item'),
    ),
  })).item;

describe('attributesJson', () => {
  it('returns the same JSON as the AWS SDK', () => {
    fc.assert(
      fc.property(item(number, decimal), (values) => {
        expect(JSON.parse(attributesJson(values))).toEqual(marshall(values));
      }),
    );
  });

  it('round-trips through fromAttributes', () => {
    fc.assert(
      fc.property(item(fc.integer()), (values) => {
        expect(fromAttributes(JSON.parse(attributesJson(values)))).toEqual(values);
      }),
    );
  });

  it.each([
    ['undefined', undefined],
    ['object', null],
    ['object', [null]],
    ['object', { member: [{ inner: null }] }],
    ['bigint', 1n],
    ['undefined', { member: undefined }],
  ])('throws for a value of type %s, also in a list or a map', (type, value) => {
    expect(() => attributesJson({ value })).toThrow(new TypeError(`A ${type} cannot be an attribute`));
  });
});

describe('fromAttributes', () => {
  it('reads every attribute type, and numbers with all digits', () => {
    const attributes = {
      text: { S: 'Grüße 🙂' },
      whole: { N: '42' },
      exact: { N: '0.00000000000000000001' },
      large: { N: '1E+20' },
      truth: { BOOL: false },
      nothing: { NULL: true },
      list: { L: [{ N: '1.5' }, { S: 'x' }] },
      map: { M: { inner: { N: '7' } } },
      names: { SS: ['a', 'b'] },
    };

    expect(fromAttributes(attributes)).toEqual({
      text: 'Grüße 🙂',
      whole: 42,
      exact: '0.00000000000000000001',
      large: '100000000000000000000',
      truth: false,
      nothing: null,
      list: ['1.5', 'x'],
      map: { inner: 7 },
      names: new Set(['a', 'b']),
    });
  });

  it('returns an empty item for no attributes', () => {
    expect(fromAttributes({})).toEqual({});
  });
});
