import { character, fc } from '#test/support/fast-check.ts';

/** An object literal cannot have `__proto__` as a member. */
const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'then',
];

export const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: character, maxLength: 12 }),
  fc.constantFrom('', '\ud800', '\0', '\r\n', '\u2028', '"', '\\', '[DONE]', 'data: x\n\n'),
);

export const anyName = fc.oneof(fc.constantFrom(...hostileNames), anyText);

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      anyText,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(anyName, tie('value')), { maxLength: 4 }).map(objectFromMembers),
  ),
}));

export { anyValue };

/** Keeps `__proto__` as an own member, as `JSON.parse` does. */
export function objectFromMembers(members: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(members);
}

const levels = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 200, max: 20_000 }));

/** Deeply nested JSON, numbers that JavaScript cannot represent, and syntax errors. */
export const edgeCaseJsonText = fc.oneof(
  levels.map((count) => '['.repeat(count) + ']'.repeat(count)),
  levels.map((count) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`),
  fc.constantFrom(
    '1e400',
    '-0',
    '1.0',
    '9007199254740993',
    '"\\ud800"',
    '{"a":1,"a":2}',
    '[1,]',
    '{',
    '\ufeff{}',
  ),
);
