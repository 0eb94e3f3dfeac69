/** The features of a Messages request, with the names of the rows in `docs/providers/translation.md`. */
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readMessages } from '../messages/read.ts';
import {
  base64,
  call,
  called,
  document,
  image,
  look,
  ownData,
  ownFormats,
  reply,
  returned,
  schema,
  searchResult,
  serverToolUse,
  signedCall,
  talk,
  thinking,
  toolsChanged,
  userMessage,
  webSearch,
  withReply,
} from './example-messages.ts';
import type { Feature } from './outcomes.ts';

type Fields = JsonObject | ((provider: string) => JsonObject);

interface MessagesFeature extends Feature {
  fieldsFor(provider: string): JsonObject;
}

const messages = (fields: Fields, carried: RegExp, name: string | null = null): MessagesFeature => {
  const fieldsFor = (provider: string) => (typeof fields === 'function' ? fields(provider) : fields);
  return {
    fieldsFor,
    request: (provider) => readMessages(fieldsFor(provider), provider),
    carried,
    name,
  };
};

export const messagesFeatures: Readonly<Record<string, MessagesFeature>> = {
  'text before calls': messages(called(reply, call), /Well.*look/),
  'text after a call': messages(called(call, reply), /look.*Well/, 'messages.content'),
  'instructions between turns': messages(
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Be brief.' },
      ],
    },
    /"Be brief\."/,
    'messages.role',
  ),
  "Claude Code's attribution in the instructions": messages(
    { system: [{ type: 'text', text: 'x-anthropic-billing-header: cc_version=2' }] },
    /cc_version/,
    'system.x-anthropic-billing-header',
  ),
  image: messages(userMessage(image(base64('image/png'))), /AAAA/),
  'image at a URL': messages(userMessage(image({ type: 'url', url: 'https://x.example/y.png' })), /y\.png/),
  'PDF, or text as a document': messages(userMessage(document(base64('application/pdf'))), /AAAA/),
  'title of a document': messages(
    userMessage(document(base64('application/pdf'), { title: 'Plan' })),
    /Plan/,
    'messages.content.title',
  ),
  'uploaded file': messages(userMessage(document({ type: 'file', file_id: 'file_1' })), /file_1/),
  'search result': messages(userMessage(searchResult), /Weather.*x\.example.*Rain/),
  'failed tool result': messages(
    returned({ is_error: true }),
    /"error":"Rain"|"status":"error"/,
    'messages.content.is_error',
  ),
  'image in a tool result': messages(returned({ content: [image(base64('image/png'))] }), /AAAA/),
  'function tool': messages({ tools: [look] }, /"look"/),
  'strict tool': messages(
    { tools: [{ ...look, strict: true }] },
    /"strict":true|"VALIDATED"/,
    'tools.strict',
  ),
  'tool that is added later': messages(
    toolsChanged({ type: 'tool_addition', tool: { type: 'tool_definition', definition: look } }),
    /"look"/,
  ),
  'removal of a tool': messages(
    { ...toolsChanged({ type: 'tool_removal', tool: { name: 'look' } }), tools: [look, talk] },
    /^(?!.*"look").*"talk"/,
  ),
  'tool that is loaded later': messages(
    { tools: [{ ...look, defer_loading: true }] },
    /defer_loading/,
    'tools.defer_loading',
  ),
  'hosted tool beside functions': messages({ tools: [look, webSearch] }, /web_?search/i, 'tools.web_search'),
  'hosted tool alone': messages({ tools: [webSearch] }, /web_?search/i),
  'hosted tool that is chosen': messages(
    { tools: [look, webSearch], tool_choice: { type: 'tool', name: 'web_search' } },
    /web_?search/i,
  ),
  'earlier use of a hosted tool': messages(
    withReply([serverToolUse, reply]),
    /"Rain"/,
    'messages.content.server_tool_use',
  ),
  'choice of any tool': messages(
    { tools: [look], tool_choice: { type: 'any' } },
    /"tool_choice":"required"|"ANY"|"any":\{\}/,
  ),
  'choice of one tool': messages(
    { tools: [look], tool_choice: { type: 'tool', name: 'look' } },
    /"tool_choice":\{"type":"function"|"allowedFunctionNames"|"toolChoice":\{"tool"/,
  ),
  'choice of no tool, after calls': messages(
    { ...called(call), tool_choice: { type: 'none' } },
    /"tool_choice":"none"|"NONE"/,
  ),
  'one call at a time': messages(
    { tools: [look], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    /"parallel_tool_calls":false/,
  ),
  'one call at a time, of a chosen tool': messages(
    { tools: [look], tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true } },
    /"parallel_tool_calls"/,
  ),
  'thinking with a budget': messages(
    { thinking: { type: 'enabled', budget_tokens: 9000 }, max_tokens: 10_000 },
    /"(reasoning_)?effort":"medium"|"thinkingLevel":"medium"|"maxReasoningEffort":"medium"/,
    'thinking',
  ),
  'budget that is not below `max_tokens`': messages(
    { thinking: { type: 'enabled', budget_tokens: 9000 }, max_tokens: 9000 },
    /never/,
    'thinking.budget_tokens',
  ),
  'thinking with an effort': messages(
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    /"(reasoning_)?effort":"low"|"thinkingLevel":"low"|"maxReasoningEffort":"low"/,
    'thinking',
  ),
  'adaptive thinking without an effort': messages(
    { thinking: { type: 'adaptive' } },
    /"(reasoning_)?effort":"high"|"thinkingLevel":"high"/,
    'thinking',
  ),
  'effort `xhigh` or `max`': messages(
    { output_config: { effort: 'max' } },
    /"(reasoning_)?effort":"max"|"thinkingLevel"|"maxReasoningEffort"/,
    'output_config.effort',
  ),
  'no thinking': messages(
    { thinking: { type: 'disabled' } },
    /"(reasoning_)?effort":"none"|"thinkingLevel"/,
    'thinking',
  ),
  "Claude's signed thinking": messages(
    withReply([thinking('EqQBCkYIBxgC'), reply]),
    /Hm/,
    'messages.content.thinking',
  ),
  'unsigned thinking of the same provider': messages(
    (provider) =>
      withReply([thinking(writeSignature({ provider, owner: 'thinking', payload: null })), reply]),
    /Hm/,
    'messages.content.thinking',
  ),
  'opaque data of the same provider': messages(
    (provider) => signedCall(provider, ownFormats[provider] ?? 'openai', ownData),
    /thought_?signature/i,
  ),
  'thinking and opaque data of another provider': messages(
    signedCall('elsewhere', 'google', 'Ag=='),
    /Ag==/,
    'messages.content.thinking',
  ),
  'stop sequence': messages({ stop_sequences: ['END'] }, /"END"/),
  'JSON Schema of the message': messages(
    { output_config: { format: { type: 'json_schema', schema } } },
    /forecast/,
  ),
  '`top_k`': messages({ top_k: 7 }, /"(top_k|topK)":7/, 'top_k'),
  '`metadata.user_id`': messages({ metadata: { user_id: 'u-1' } }, /u-1/, 'metadata.user_id'),
  '`metadata.user_id` of more than 64 characters': messages(
    { metadata: { user_id: `u-${'1'.repeat(63)}` } },
    /u-1/,
    'metadata.user_id',
  ),
  '`cache_control`': messages(
    userMessage({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }),
    /cache_control|cachePoint/,
    'cache_control',
  ),
  citations: messages(
    userMessage(document(base64('text/plain'), { citations: { enabled: true } })),
    /citations/,
    'messages.content.citations',
  ),
  'citations of earlier text': messages(
    withReply([{ ...reply, citations: [{ type: 'char_location', cited_text: 'W' }] }]),
    /cited_text/,
    'messages.content.citations',
  ),
  '`service_tier`': messages({ service_tier: 'standard_only' }, /"service_tier":"default"/, 'service_tier'),
  '`thinking.display`': messages(
    { thinking: { type: 'adaptive', display: 'omitted' } },
    /"reasoning":\{"effort":"high"\}/,
    'thinking.display',
  ),
  '`context_management`, `speed`, `fallbacks` and other hints': messages(
    { context_management: { edits: [], x: 1 } },
    /context_management/,
    'context_management',
  ),
  '`container`': messages({ container: 'c-1' }, /c-1/),
  '`mcp_servers`': messages({ mcp_servers: [{ type: 'url', url: 'https://x.example' }] }, /x\.example/),
  '`thread`': messages({ thread: { id: 't-1' } }, /t-1/),
  '`inference_geo`': messages({ inference_geo: 'us' }, /"us"/),
  'field that the format does not have': messages({ new_field: { x: 1 } }, /new_?field/i),
};

/** The body of a request with the feature. */
export function bodyOf(name: string, provider: string): string {
  const fields = messagesFeatures[name]?.fieldsFor(provider);
  return JSON.stringify({
    model: 'a-model',
    max_tokens: 16,
    messages: [{ role: 'user', content: 'Hi' }],
    ...fields,
  });
}
