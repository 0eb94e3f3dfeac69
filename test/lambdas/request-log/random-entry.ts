/** Generates log entries in which every field can have any valid value. */

import {
  type LogEntry,
  type LogEntryField,
  logEntryFieldNames,
  logEntryFields,
} from '#lambdas/request-log/entry.ts';
import type { BilledPartFields } from '#lambdas/request-log/fields/billed-part.ts';
import type { FieldType } from '#lambdas/request-log/fields/field-type.ts';
import { refusalFields } from '#lambdas/request-log/fields/refusal.ts';
import { skippedTargetFields } from '#lambdas/request-log/fields/skipped-target.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { character, fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

/** DynamoDB's numbers are read as a `number` up to this many digits. */
const count = fc.integer({ min: 0, max: 999_999_999_999_999 });
const text = fc.string({ unit: character, maxLength: 32 });
const money = fc
  .record({ dollars: fc.nat(), picodollars: fc.integer({ min: 0, max: 999_999_999_999 }) })
  .map(({ dollars, picodollars }) =>
    `${dollars}.${String(picodollars).padStart(12, '0')}`.replace(/\.?0+$/, ''),
  );

const billedPart: fc.Arbitrary<BilledPartFields> = fc.record(
  {
    model: text,
    input_tokens: count,
    output_tokens: count,
    cached_input_tokens: count,
    reasoning_tokens: count,
    web_searches: count,
    context_tokens: count,
  },
  { requiredKeys: ['model', 'input_tokens', 'output_tokens'] },
);

const id = fc
  .record({ createdMs: fc.integer({ min: 0, max: 2 ** 42 }), shard: fc.nat(255) })
  .map(({ createdMs, shard }) => createLogId(createdMs, shard));

type Scalar = Exclude<FieldType<unknown>['json'], 'array' | 'object'>;

const scalars: Record<Scalar, fc.Arbitrary<unknown>> = {
  string: text,
  integer: count,
  number: money,
  boolean: fc.boolean(),
};

function valuesOf({ json, values, element, nullable, accepts }: FieldType<unknown>): fc.Arbitrary<unknown> {
  let valid: fc.Arbitrary<unknown>;
  if (values !== undefined) valid = fc.constantFrom(...values);
  else if (element !== undefined) valid = fc.array(valuesOf(element), { minLength: 1, maxLength: 4 });
  else if (json === 'array' || json === 'object') throw new Error(`There is no generator for a ${json}`);
  else valid = scalars[json].filter(accepts);
  return nullable ? fc.option(valid) : valid;
}

function membersOf(fields: Record<string, FieldType<unknown>>): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, valuesOf(type)]));
}

function refusalOf(fields: Record<string, FieldType<unknown>>): fc.Arbitrary<object> {
  return fc.record({
    ...membersOf(fields),
    ...('resets_at' in fields && {
      resets_at: fc.constantFrom('2026-02-01T00:00:00.000Z', '2026-11-30T00:00:00.000Z'),
    }),
  });
}

const specialFields: Partial<Record<LogEntryField, fc.Arbitrary<unknown>>> = {
  id,
  organization_id: fc.constantFrom('org_AAAAAAAAAAAAAAAA', 'org_BBBBBBBBBBBBBBBB'),
  status: fc.constantFrom(200, 400, 499, 502),
  retries: fc.option(fc.integer({ min: 1, max: 9 })),
  provider_calls: fc.option(fc.integer({ min: 2, max: 64 })),
  superseded_by: fc.option(id),
  skipped_targets: fc.option(
    fc.array(fc.record(membersOf(skippedTargetFields)), { minLength: 1, maxLength: 9 }),
  ),
  refusal: fc.option(fc.oneof(...Object.values(refusalFields).map(refusalOf))),
  billed_parts: fc.option(fc.array(billedPart, { minLength: 1, maxLength: 16 })),
};

const fields = logEntryFieldNames.filter((field) => field !== 'created_at');

export const randomEntries: fc.Arbitrary<LogEntry> = fc
  .record(
    Object.fromEntries(
      fields.map((field) => [field, specialFields[field] ?? valuesOf(logEntryFields[field])]),
    ),
  )
  .map((values) => logEntry(values as Partial<LogEntry>));
