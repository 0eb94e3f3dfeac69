import { fc } from '#test/support/fast-check.ts';
import { anyName, anyValue, objectFromMembers } from './json.ts';

/** Yields any JSON value in one of 25 cases. */
export const mostlyValid = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 24, arbitrary: valid }, { weight: 1, arbitrary: anyValue });

export function members(known: Record<string, fc.Arbitrary<unknown>>, maxLength = 5): fc.Arbitrary<object> {
  const valid = Object.entries(known).map(([name, value]) => fc.tuple(fc.constant(name), mostlyValid(value)));
  const member = fc.oneof(...valid.map((arbitrary) => ({ weight: 2, arbitrary })), {
    weight: 1,
    arbitrary: fc.tuple(anyName, anyValue),
  });
  return fc.array(member, { maxLength }).map(objectFromMembers);
}

export function object(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
) {
  const valid = Object.fromEntries(
    Object.entries(required).map(([name, value]) => [name, mostlyValid(value)]),
  );
  return fc
    .tuple(fc.record(valid), members(optional, 2))
    .map(([requiredMembers, optionalMembers]) => ({ ...requiredMembers, ...optionalMembers }));
}
