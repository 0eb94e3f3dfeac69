/** Messages and tools in all forms that OpenAI and the providers accept. */
import { fc } from '#test/support/fast-check.ts';
import { plantedPrompt } from '../gateway.ts';
import { anyName, anyText, anyValue, edgeCaseJsonText } from './json.ts';
import { members, object } from './objects.ts';

const prompt = anyText.map((text) => `${plantedPrompt} ${text}`);
const dataUrl = fc.constantFrom(
  'data:image/png;base64,iVBORw0KGgo=',
  'data:,',
  'https://x.test/y.png',
  'data:image/png;base64,#',
);
const contentPart = object({
  type: fc.constantFrom('text', 'text', 'image_url', 'input_audio', 'file', 'refusal', 'thinking'),
  text: prompt,
  image_url: members({ url: dataUrl, detail: fc.constantFrom('auto', 'low') }),
  input_audio: members({ data: fc.base64String({ maxLength: 12 }), format: fc.constantFrom('wav', 'mp3') }),
  file: members({ file_data: dataUrl, file_id: anyText, filename: anyText }),
  cache_control: members({ type: fc.constant('ephemeral'), ttl: fc.constantFrom('5m', '1h') }),
});
const toolCall = object({
  id: fc.constantFrom('call_1', 'call_2', ''),
  type: fc.constantFrom('function', 'custom'),
  function: members({
    name: fc.constantFrom('look', 'f'),
    arguments: fc.oneof(fc.constantFrom('{}', '', '{"a":1.0}', '['), edgeCaseJsonText),
  }),
});
export const message = object(
  {
    role: fc.constantFrom('system', 'developer', 'user', 'user', 'assistant', 'tool', 'function'),
    content: fc.oneof(prompt, fc.array(contentPart, { maxLength: 3 }), fc.constant(null)),
  },
  {
    name: anyText,
    tool_calls: fc.array(toolCall, { maxLength: 2 }),
    tool_call_id: fc.constantFrom('call_1', 'call_2'),
    reasoning_content: prompt,
    refusal: prompt,
    thinking_blocks: fc.array(
      members({
        type: fc.constantFrom('thinking', 'redacted_thinking'),
        thinking: prompt,
        signature: anyText,
      }),
    ),
    extra_content: members({ google: members({ thought_signature: anyText }) }),
  },
);
export const user = fc.constant({ role: 'user', content: plantedPrompt });
export const schema = members({
  type: fc.constantFrom('object', 'string', 'array', 'null'),
  properties: members({ a: members({ type: fc.constant('string'), enum: fc.array(anyText) }) }),
  required: fc.array(anyName, { maxLength: 2 }),
  additionalProperties: fc.boolean(),
  $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/a'),
  $defs: members({ a: fc.constant({ $ref: '#/$defs/a' }) }),
  anyOf: fc.array(anyValue, { maxLength: 2 }),
});
export const tool = object({
  type: fc.constantFrom('function', 'custom'),
  function: members({
    name: fc.constantFrom('look', 'f', 'a b'),
    description: anyText,
    parameters: schema,
    strict: fc.boolean(),
  }),
});
