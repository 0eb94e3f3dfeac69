/** The features of a Responses request, with the names of the rows in `docs/providers/translation.md`. */
import { readResponsesCompletion } from '#lambdas/inference/responses/request/request.ts';
import { parseResponsesRequest } from '#lambdas/inference/responses/request.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import {
  agents,
  call,
  called,
  look,
  message,
  reasoning,
  reply,
  returned,
  schema,
  signed,
  unsigned,
  userMessage,
  webSearch,
  withItems,
  write,
} from './example-items.ts';
import type { Feature } from './outcomes.ts';

type Fields = JsonObject | ((provider: string) => JsonObject);

interface ResponsesFeature extends Feature {
  fieldsFor(provider: string): JsonObject;
}

const bodyWith = (fields: JsonObject) => JSON.stringify({ model: 'a-model', input: 'Hi', ...fields });

const responses = (fields: Fields, carried: RegExp, name: string | null = null): ResponsesFeature => {
  const fieldsFor = (provider: string) => (typeof fields === 'function' ? fields(provider) : fields);
  return {
    fieldsFor,
    request: (provider) =>
      readResponsesCompletion(parseResponsesRequest(bodyWith(fieldsFor(provider))), provider),
    carried,
    name,
  };
};

const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
const file = { type: 'input_file', file_data: 'data:application/pdf;base64,AAAA' };
const chosen = (choice: JsonObject) => ({ tools: [look, write], tool_choice: choice });

export const responsesFeatures: Readonly<Record<string, ResponsesFeature>> = {
  'instructions, and those of developers at the front': responses(
    { instructions: 'Be kind.', input: [message('developer', 'Be brief.'), message('user', 'Hi')] },
    /Be kind\..*Be brief\./,
  ),
  'instructions between turns': responses(
    { input: [message('user', 'Hi'), message('developer', 'Be brief.')] },
    /Be brief\./,
    'input.role',
  ),
  'text before calls': responses(called(reply, call), /Well.*look/),
  'text after a call': responses(called(call, reply), /look.*Well/, 'input.content'),
  '`phase` of a text': responses(withItems([{ ...reply, phase: 'commentary' }]), /commentary/, 'input.phase'),
  image: responses(userMessage(image), /AAAA/),
  'image at a URL': responses(userMessage({ ...image, image_url: 'https://x.example/y.png' }), /y\.png/),
  'image detail': responses(userMessage({ ...image, detail: 'low' }), /"low"/, 'input.content.detail'),
  file: responses(userMessage(file), /AAAA/),
  'file at a URL': responses(
    userMessage({ type: 'input_file', file_url: 'https://x.example/y.pdf' }),
    /y\.pdf/,
  ),
  'file name': responses(userMessage({ ...file, filename: 'plan.pdf' }), /plan/, 'input.content.filename'),
  'uploaded file or image': responses(userMessage({ type: 'input_file', file_id: 'file_1' }), /file_1/),
  audio: responses(
    userMessage({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
    /AAAA/,
  ),
  'image in an output': responses(returned({ output: [image] }), /AAAA/),
  'invalid arguments of an earlier call': responses(
    called({ ...call, arguments: '{"city":' }),
    /never/,
    'input.arguments',
  ),
  'function tool': responses({ tools: [look] }, /"look"/),
  'strict tool': responses(
    { tools: [{ ...look, strict: true }] },
    /"strict":true|"VALIDATED"/,
    'tools.strict',
  ),
  'custom tool, and its grammar': responses(
    { tools: [write] },
    /"write".*lark.*"input"|lark.*"input".*"write"/,
  ),
  'call of a custom tool': responses(
    called({ type: 'custom_tool_call', call_id: 'a', name: 'write', input: 'Fog' }),
    /input\W+Fog/,
  ),
  'tools of a namespace, and their calls': responses(
    { ...called({ ...call, name: 'ask', namespace: 'agents' }), tools: [agents] },
    /agents__ask.*agents__ask/,
  ),
  '`additional_tools`, and tools that a search has found': responses(
    {
      input: [
        { type: 'additional_tools', role: 'developer', tools: [look] },
        { type: 'tool_search_output', call_id: 'b', execution: 'client', tools: [agents] },
        message('user', 'Hi'),
      ],
    },
    /"look".*agents__ask/,
  ),
  'tool that is loaded later': responses(
    { tools: [{ ...look, defer_loading: true }] },
    /defer_loading/,
    'tools.defer_loading',
  ),
  'hosted tool beside functions': responses({ tools: [look, webSearch] }, /web_?search/i, 'tools.web_search'),
  'hosted tool alone': responses({ tools: [webSearch] }, /web_?search/i),
  'hosted tool that is chosen': responses(
    { tools: [look, webSearch], tool_choice: { type: 'web_search' } },
    /web_?search/i,
  ),
  'earlier use of a hosted tool': responses(
    withItems([{ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'Fog' } }]),
    /Fog/,
    'input.web_search_call',
  ),
  'message between agents': responses(
    withItems([reply], {
      type: 'agent_message',
      author: '/root',
      content: [{ type: 'encrypted_content', encrypted_content: 'Say hi' }],
    }),
    /Say hi/,
    'input.agent_message',
  ),
  'item that the format does not have': responses(
    withItems([{ type: 'new_item', text: 'Fog' }]),
    /Fog/,
    'input.new_item',
  ),
  'choice of any tool': responses(
    { tools: [look], tool_choice: 'required' },
    /"tool_choice":"required"|"ANY"|"any"/,
  ),
  'choice of one tool, also a custom one': responses(
    chosen({ type: 'custom', name: 'write' }),
    /"(tool_choice|toolChoice|functionCallingConfig)":.{1,60}"write"/,
  ),
  'choice of no tool, after calls': responses(
    { ...called(call), tool_choice: 'none' },
    /"tool_choice":"none"|"type":"none"|"NONE"/,
  ),
  'allowed tools': responses(
    chosen({ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'write' }] }),
    /^(?!.*"look").*"write"|"allowedFunctionNames":\["write"\]/,
  ),
  'one call at a time': responses(
    { tools: [look], parallel_tool_calls: false },
    /"parallel_tool_calls":false|"disable_parallel_tool_use":true/,
  ),
  '`max_tool_calls`, which is for hosted tools': responses({ max_tool_calls: 7 }, /7/, 'max_tool_calls'),
  'JSON Schema of the response': responses(
    { text: { format: { type: 'json_schema', name: 's', schema } } },
    /forecast/,
  ),
  '`text.verbosity`': responses({ text: { verbosity: 'low' } }, /"verbosity":"low"/, 'text.verbosity'),
  '`reasoning.effort`': responses(
    { reasoning: { effort: 'low' } },
    /"reasoning_effort":"low"|"thinkingLevel":"low"|"maxReasoningEffort":"low"|"budget_tokens"/,
    'reasoning.effort',
  ),
  'effort `none`': responses(
    { reasoning: { effort: 'none' } },
    /"reasoning_effort":"none"|"thinkingLevel"|"disabled"/,
    'reasoning.effort',
  ),
  'effort `xhigh` or `max`': responses(
    { reasoning: { effort: 'xhigh' } },
    /"reasoning_effort":"xhigh"|"thinkingLevel"|"maxReasoningEffort"|"budget_tokens"/,
    'reasoning.effort',
  ),
  '`reasoning.summary`': responses(
    { reasoning: { summary: 'detailed' } },
    /includeThoughts/,
    'reasoning.summary',
  ),
  'reasoning of the same provider, without data of its own': responses(
    (provider) => withItems([unsigned(provider), reply]),
    /Hm/,
    'input.reasoning',
  ),
  'opaque data of the same provider': responses(
    (provider) => called(signed(provider), call),
    /"Ag=="|"EqQB"/,
    'input.reasoning',
  ),
  'reasoning and opaque data of another provider': responses(
    called(signed('elsewhere'), unsigned('elsewhere'), call),
    /Ag==|Hm/,
    'input.reasoning',
  ),
  "OpenAI's encrypted reasoning": responses(
    withItems([reasoning('gAAAAABp0000'), reply]),
    /gAAAAA|Hm/,
    'input.reasoning',
  ),
  '`metadata`': responses({ metadata: { topic: 'fog' } }, /fog/, 'metadata'),
  '`safety_identifier`, or `user`': responses({ safety_identifier: 'u-1' }, /u-1/, 'safety_identifier'),
  'the same with more than 64 characters': responses(
    { safety_identifier: `u-${'1'.repeat(63)}` },
    /u-1/,
    'safety_identifier',
  ),
  '`prompt_cache_key`': responses({ prompt_cache_key: 'k-1' }, /k-1/, 'prompt_cache_key'),
  '`prompt_cache_breakpoint`': responses(
    userMessage({ type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }),
    /cache_control|cachePoint|breakpoint/,
    'prompt_cache_breakpoint',
  ),
  '`service_tier`': responses({ service_tier: 'flex' }, /"flex"/, 'service_tier'),
  '`client_metadata`': responses({ client_metadata: { turn: 'fog' } }, /fog/, 'client_metadata'),
  '`stream_options`': responses({ stream_options: { include_obfuscation: false } }, /obfuscation/),
  '`truncation`': responses({ truncation: 'auto' }, /truncation/, 'truncation'),
  '`context_management`': responses(
    { context_management: [{ type: 'compaction', compact_threshold: 9000 }] },
    /9000/,
    'context_management',
  ),
  '`include` of encrypted reasoning': responses(
    { include: ['reasoning.encrypted_content'] },
    /encrypted/,
    'include',
  ),
  '`include` of other fields': responses({ include: ['web_search_call.results'] }, /results/, 'include'),
  'log probabilities': responses({ include: ['message.output_text.logprobs'] }, /logprobs/i),
  '`top_logprobs`': responses({ top_logprobs: 2 }, /logprobs/i),
  '`moderation`': responses({ moderation: { model: 'omni-moderation-latest' } }, /omni/),
  '`store`': responses({ store: true }, /"store"/, 'store'),
  '`previous_response_id`, `conversation`': responses({ previous_response_id: 'resp_1' }, /resp_1/),
  '`prompt`': responses({ prompt: { id: 'pmpt_1' } }, /pmpt_1/),
  '`item_reference`': responses({ input: [{ type: 'item_reference', id: 'msg_1' }] }, /msg_1/),
  compaction: responses({ input: [{ type: 'compaction', encrypted_content: 'gAAAAABp' }] }, /gAAAAA/),
  '`compaction_trigger`': responses(withItems([reply], { type: 'compaction_trigger' }), /compaction/),
  'field that the format does not have': responses({ new_field: { x: 1 } }, /new_?field/i),
};

/** The text of a request with the feature. */
export function responsesBodyOf(name: string, provider: string): string {
  return bodyWith(responsesFeatures[name]?.fieldsFor(provider) ?? {});
}
