/** Fields by which a request refers to what another provider keeps: errors that name the way out. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readResponses } from '#test/support/responses/read.ts';
import { providerApis } from '#test/support/translation/outcomes.ts';

function render(api: (typeof providerApis)[string], fields: JsonObject) {
  try {
    return api.render(readResponses(fields, api.provider)).ignored;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { code, param, status, message } = error;
    return { code, param, status, message };
  }
}

describe.each(Object.entries(providerApis))('At %s', (_, api) => {
  it.each<[fields: JsonObject, param: string, advice: string]>([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id', 'store: false'],
    [{ conversation: { id: 'conv_1' } }, 'conversation', 'store: false'],
    [{ conversation: 'conv_1' }, 'conversation', 'store: false'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', 'instructions and input'],
    [{ input: [{ type: 'item_reference', id: 'rs_1' }] }, 'input[0].type', 'store: false'],
  ])('%j is refused with the way out', (fields, param, advice) => {
    expect(render(api, fields)).toMatchObject({
      code: 'unsupported_parameter',
      status: 400,
      param,
      message: expect.stringContaining(advice),
    });
  });

  it.each<[fields: JsonObject, ignored: string[]]>([
    [{ store: false }, []],
    [{ previous_response_id: null, conversation: null, prompt: null }, []],
    [{ include: ['reasoning.encrypted_content'] }, []],
    [{ background: false, stream: true }, []],
  ])('%j is taken', (fields, ignored) => {
    expect(render(api, fields)).toEqual(ignored);
  });

  it('the storage of a response is accepted', () => {
    expect([[], ['store']]).toContainEqual(render(api, { store: true }));
  });
});
