import { expect, it } from 'vitest';
import { createJsonBody } from '#lambdas/inference/providers/http/json-body.ts';
import { fc } from '#test/support/fast-check.ts';

const jsonContainer = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));

it('finds the end of the value, however the bytes are split', () => {
  fc.assert(
    fc.property(
      jsonContainer,
      fc.nat({ max: 2 }),
      fc.string({ unit: 'binary' }),
      fc.array(fc.nat()),
      (container, indent, following, cuts) => {
        const json = JSON.stringify(container, null, indent);
        const bytes = Buffer.from(json + following);
        const offsets = [...cuts.map((cut) => cut % bytes.length), 0, bytes.length].sort((a, b) => a - b);
        const chunks = offsets.slice(1).map((end, position) => bytes.subarray(offsets[position], end));
        const body = createJsonBody();
        const completed = chunks.filter((chunk) => body.push(chunk));
        const { value, rest } = body.take();
        expect([completed.length, String(value), String(rest)]).toEqual([
          1,
          json,
          String(Buffer.from(following)),
        ]);
      },
    ),
  );
});

it('returns everything as the value while the end is missing', () => {
  const body = createJsonBody();
  expect(['{"a":"}', '\\"]', '[1]'].map((chunk) => body.push(Buffer.from(chunk)))).toEqual([
    false,
    false,
    false,
  ]);
  const { value, rest } = body.take();
  expect([String(value), String(rest)]).toEqual(['{"a":"}\\"][1]', '']);
});
