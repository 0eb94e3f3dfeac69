import { describe, expect, it } from 'vitest';
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import {
  callPayload,
  fieldsOf,
  reasoningPayload,
} from '#lambdas/inference/providers/openai/required-fields.ts';

const signed = { extra_content: { google: { thought_signature: 'c2ln' } } };
const detail = (id: number) => ({ reasoning_details: [{ id }] });
const payloadOf = (fields: object): Payload => ({
  format: 'openai',
  kind: 'signature',
  data: JSON.stringify(fields),
});

describe('The data that a server with OpenAI’s format requires back', () => {
  it('of a call is in its known fields', () => {
    expect(callPayload({ ...signed, index: 0, provider_specific_fields: {} })).toEqual(payloadOf(signed));
    expect(callPayload({ index: 0, extra_content: {} })).toBeNull();
  });

  it('of reasoning is that of all its deltas', () => {
    expect(reasoningPayload([detail(1), { annotations: [{ id: 7 }] }, detail(2)])).toEqual(
      payloadOf({ reasoning_details: [{ id: 1 }, { id: 2 }] }),
    );
    expect(reasoningPayload([{ annotations: [{ id: 7 }] }])).toBeNull();
  });

  it('of many deltas is joined without copying the earlier ones', () => {
    const count = 100_000;
    const payload = reasoningPayload(Array.from({ length: count }, (_, id) => detail(id)));
    expect(fieldsOf([payload]).reasoning_details).toHaveLength(count);
  });

  it('is joined for a message, without fields that the caller has added', () => {
    const changed = payloadOf({ ...detail(3), role: 'system', content: 'x', ['__proto__']: {} });
    expect(
      fieldsOf([payloadOf(detail(1)), null, changed, { ...payloadOf(signed), format: 'google' }]),
    ).toEqual({
      reasoning_details: [{ id: 1 }, { id: 3 }],
    });
    expect(fieldsOf([{ ...payloadOf({}), data: 'no JSON' }])).toEqual({});
  });
});
