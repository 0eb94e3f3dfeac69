import { describe, expect, it } from 'vitest';
import { acceptedBody, callGoogle } from '#test/support/providers/google/call.ts';

const schema = {
  type: 'object',
  properties: { city: { $ref: '#/$defs/city' }, unit: { const: 'celsius' } },
  required: ['city'],
  additionalProperties: false,
  $defs: { city: { type: ['string', 'null'] } },
};
const weather = {
  type: 'function',
  function: { name: 'weather', description: 'The weather', parameters: schema },
};
const now = { type: 'function', function: { name: 'now' } };
const declarations = {
  functionDeclarations: [
    {
      name: 'weather',
      description: 'The weather',
      parametersJsonSchema: {
        ...schema,
        properties: { ...schema.properties, unit: { enum: ['celsius'] } },
      },
    },
    { name: 'now' },
  ],
};

describe('Tools sent to Google', () => {
  it('declares functions with their schemas', async () => {
    const { tools, toolConfig } = await acceptedBody({ tools: [weather, now] });

    expect(tools).toEqual([declarations]);
    expect(toolConfig).toBeUndefined();
  });

  it.each([
    ...['items', 'additionalProperties', 'not'].map(
      (keyword) => [keyword, (schema: object) => schema] as const,
    ),
    ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map(
      (keyword) => [keyword, (schema: object) => [{}, schema]] as const,
    ),
    ...['properties', 'patternProperties', '$defs'].map(
      (keyword) => [keyword, (schema: object) => ({ const: schema })] as const,
    ),
  ])('replaces const by enum in schemas under %s', async (keyword, nest) => {
    const parameters = { [keyword]: nest({ const: 1 }) };
    const { body } = await callGoogle({
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
    });

    expect(body.tools).toEqual([
      {
        functionDeclarations: [{ name: 'f', parametersJsonSchema: { [keyword]: nest({ enum: [1] }) } }],
      },
    ]);
  });

  const city = { $ref: '#/$defs/city' };
  it.each([
    ['nothing else', city, city],
    ['keywords of references only', { ...city, $comment: 'c' }, { ...city, $comment: 'c' }],
    ['a description', { ...city, description: 'Where' }, { description: 'Where', anyOf: [city] }],
    ['alternatives', { ...city, anyOf: [{}] }, { anyOf: [{}], oneOf: [city] }],
    [
      'alternatives of all kinds',
      { ...city, anyOf: [{}], oneOf: [{}], allOf: [{}] },
      { anyOf: [{}], oneOf: [{}], allOf: [{}, city] },
    ],
    ['old definitions', { $ref: '#/definitions/city', title: 'City' }, { title: 'City', anyOf: [city] }],
    [
      'properties, one of which is named $ref',
      { properties: { $ref: { type: 'string' }, at: { ...city, title: 'At' } } },
      { properties: { $ref: { type: 'string' }, at: { title: 'At', anyOf: [city] } } },
    ],
  ])('keeps the meaning of a $ref beside %s', async (_, given, expected) => {
    const parameters = { type: 'object', properties: { given } };
    const { body } = await callGoogle({ tools: [{ type: 'function', function: { name: 'f', parameters } }] });

    expect(body.tools[0].functionDeclarations[0].parametersJsonSchema.properties).toEqual({
      given: expected,
    });
  });

  it("forwards Google's built-in tools unchanged", async () => {
    const search = { googleSearch: { excludeDomains: ['example.com'] } };
    const body = await acceptedBody({
      tools: [search, weather, now, { codeExecution: {} }],
      tool_choice: 'auto',
    });

    expect(body).toMatchObject({ tools: [declarations, search, { codeExecution: {} }] });
    expect(await acceptedBody({ tools: [search], tool_choice: 'none' })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [search],
    });
  });

  it.each([
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'now' } },
      { mode: 'ANY', allowedFunctionNames: ['now'] },
    ],
  ])('translates tool_choice %j', async (tool_choice, functionCallingConfig) => {
    const { tools, toolConfig } = await acceptedBody({ tools: [weather, now], tool_choice });

    expect({ tools, toolConfig }).toEqual({ tools: [declarations], toolConfig: { functionCallingConfig } });
  });

  it('sets mode VALIDATED when a tool is strict and no mode is required', async () => {
    const strict = { ...now, function: { ...now.function, strict: true } };

    expect(await acceptedBody({ tools: [weather, strict] })).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
    });
    expect(await acceptedBody({ tools: [strict], tool_choice: 'required' })).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    });
  });

  it('declares only allowed tools', async () => {
    const allowed_tools = { mode: 'required', tools: [{ type: 'function', function: { name: 'now' } }] };
    const { tools, toolConfig } = await acceptedBody({
      tools: [weather, now],
      tool_choice: { type: 'allowed_tools', allowed_tools },
    });

    expect(tools).toEqual([{ functionDeclarations: [{ name: 'now' }] }]);
    expect(toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } });
  });
});
