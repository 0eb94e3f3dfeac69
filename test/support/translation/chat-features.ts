/** The features of a chat completion request, with the names of the rows in `docs/providers/translation.md`. */
import { chatNames } from '#lambdas/inference/chat/request/names.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readRequest } from '../providers/provider-call.ts';
import type { Feature } from './outcomes.ts';

const chat = (fields: JsonObject, carried: RegExp, name: string | null = null): Feature => ({
  request: () => readRequest(fields),
  carried,
  name,
});

const look = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const strictLook = { ...look, function: { ...look.function, strict: true } };
const schema = { type: 'object', properties: { forecast: { type: 'string' } } };
const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };

const userMessage = (part: JsonObject) => ({ messages: [{ role: 'user', content: [part] }] });

/** A message of the model, and the one after it. */
const withReply = (message: JsonObject, next: JsonObject = { role: 'user', content: 'And?' }) => ({
  tools: [look],
  messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: null, ...message }, next],
});
const called = (fields: JsonObject, content: unknown = 'Rain') =>
  withReply({ tool_calls: [{ ...call, ...fields }] }, { role: 'tool', tool_call_id: 'a', content });

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

export const chatFeatures: Readonly<Record<string, Feature>> = {
  'text before calls': chat(
    withReply({ content: 'Well', tool_calls: [call] }, { role: 'tool', tool_call_id: 'a', content: 'Rain' }),
    /Well.*look/,
  ),
  "Claude's signed thinking": chat(
    withReply({
      content: 'Well',
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's1' }],
    }),
    /Hm.*"s1"/,
  ),
  "Gemini's signatures": chat(called({ extra_content: { google: { thought_signature: 'Ag==' } } }), /"Ag=="/),
  'unsigned reasoning': chat(withReply({ content: 'Well', reasoning_content: 'Hm' }), /Hm/),
  'image in a tool result': chat(called({}, [image]), /AAAA/),
  'instructions at the front': chat(
    {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
      ],
    },
    /Be kind\./,
  ),
  'instructions between turns': chat(
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Be brief.' },
      ],
    },
    /"(system|systemInstruction|instructions)":.{1,30}Be brief\./,
  ),
  'function tool': chat({ tools: [look] }, /"look"/),
  'strict tool': chat({ tools: [strictLook] }, /"strict":true|"VALIDATED"/, chatNames.strictTools),
  'custom tool': chat({ tools: [{ type: 'custom', custom: { name: 'write' } }] }, /"write"/),
  'tool that runs at the provider': chat({ tools: [{ type: 'x', search_here: {} }] }, /search_here/),
  'cache breakpoint': chat(
    userMessage({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }),
    /cache_control|cachePoint/,
    'cache_control',
  ),
  'stop sequence': chat({ stop: 'END' }, /"END"/),
  'JSON Schema of the completion': chat(
    { response_format: { type: 'json_schema', json_schema: { name: 's', schema } } },
    /forecast/,
  ),
  'two choices': chat({ n: 2 }, /"candidateCount":2/),
  'one call at a time': chat(
    { tools: [look], parallel_tool_calls: false },
    /"disable_parallel_tool_use":true|"parallel_tool_calls":false/,
  ),
  seed: chat({ seed: 7 }, /"seed":7/, 'seed'),
  'end user': chat({ user: 'u-1' }, /u-1/, 'user'),
  'log probabilities': chat({ logprobs: true }, /logprobs/i),
  'service tier': chat({ service_tier: 'flex' }, /flex/, 'service_tier'),
  'file name': chat(
    userMessage({
      type: 'file',
      file: { filename: 'plan.pdf', file_data: 'data:application/pdf;base64,AAAA' },
    }),
    /plan/,
    chatNames.filename,
  ),
  'image at a URL': chat(
    userMessage({ type: 'image_url', image_url: { url: 'https://x.example/y.png' } }),
    /y\.png/,
  ),
  'image detail': chat(
    userMessage({ type: 'image_url', image_url: { ...image.image_url, detail: 'low' } }),
    /"low"/,
    chatNames.imageDetail,
  ),
  audio: chat(userMessage({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }), /AAAA/),
  video: chat(userMessage({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }), /AAAA/),
  'invalid arguments of an earlier call': chat(
    called({ function: { name: 'look', arguments: '{"city":' } }),
    /never/,
    chatNames.callArguments,
  ),
};
