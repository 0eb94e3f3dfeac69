/** Objects that are nearly right: their members are what they should be, and now and then anything at all. */
import { fc } from '#test/support/fast-check.ts';
import { anyName, anyValue, objectOf } from './arbitrary-json.ts';

/** Something that is right, and now and then anything at all. */
export const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 24, arbitrary: right }, { weight: 1, arbitrary: anyValue });

/** An object with a few of these members, and now and then one of its own. */
export function members(known: Record<string, fc.Arbitrary<unknown>>, maxLength = 5): fc.Arbitrary<object> {
  const right = Object.entries(known).map(([name, value]) => fc.tuple(fc.constant(name), mostly(value)));
  const member = fc.oneof(...right.map((arbitrary) => ({ weight: 2, arbitrary })), {
    weight: 1,
    arbitrary: fc.tuple(anyName, anyValue),
  });
  return fc.array(member, { maxLength }).map(objectOf);
}

/** The same, of which these are always there. */
export function object(
  always: Record<string, fc.Arbitrary<unknown>>,
  others: Record<string, fc.Arbitrary<unknown>> = {},
) {
  const right = Object.fromEntries(Object.entries(always).map(([name, value]) => [name, mostly(value)]));
  return fc.tuple(fc.record(right), members(others, 2)).map(([own, more]) => ({ ...own, ...more }));
}
