/**
 * Schema of a Messages API request, with the errors of the real API; rejects unknown fields. Fields in beta are accepted
 * here, and refused by `header-rules.ts` without their header. https://platform.claude.com/docs/en/api/messages/create
 */
import { z } from 'zod';

const cache_control = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish();
const nonBlankText = z.string().regex(/\S/, 'text content blocks must contain non-whitespace text');
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const anyValue = z.unknown();
const object = z.record(z.string(), anyValue);

const url = z.strictObject({ type: z.literal('url'), url: z.url({ protocol: /^https$/ }) });
const base64 = (...types: string[]) =>
  z.strictObject({ type: z.literal('base64'), media_type: z.enum(types), data: z.base64().min(1) });
const text = z.strictObject({
  type: z.literal('text'),
  text: nonBlankText,
  cache_control,
  citations: anyValue.optional(),
});
const image = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [base64('image/jpeg', 'image/png', 'image/gif', 'image/webp'), url]),
  cache_control,
});
const document = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    base64('application/pdf'),
    url,
    z.looseObject({ type: z.literal(['content', 'text']) }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: anyValue.optional(),
  cache_control,
});
/** A result of tool search: the named tool's schema enters the context. */
const toolReference = z.strictObject({ type: z.literal('tool_reference'), tool_name: id, cache_control });
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [text, image, document, toolReference]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control,
});
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id,
  name: z.string().min(1).max(200),
  input: object,
  cache_control,
  caller: anyValue.optional(),
});
const thinkingBlocks = [
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
] as const;

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.union([nonBlankText, z.array(text).min(1)]) }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([
      nonBlankText,
      z.array(z.discriminatedUnion('type', [text, image, document, toolResult])).min(1),
    ]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, toolUse, ...thinkingBlocks]))]),
  }),
]);

/** A tool that the caller runs. Anthropic's server tools have a dated type and no schema. */
const tool = z.strictObject({
  type: z.literal('custom').optional(),
  name: id.max(128),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  cache_control,
  strict: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
  eager_input_streaming: z.boolean().optional(),
});
const serverTool = z.looseObject({ type: z.string().regex(/_\d{8}$/), name: z.string() });

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const display = z.enum(['summarized', 'omitted']).optional();

const thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive'), display, block_binding: anyValue.optional() }),
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1024),
    display,
    block_binding: anyValue.optional(),
  }),
  z.strictObject({ type: z.literal(['disabled', 'between_tools']) }),
]);
const tool_choice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal(['auto', 'any']), ...parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
]);
const output_config = z
  .strictObject({
    effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']),
    format: z.strictObject({ type: z.literal('json_schema'), schema: object }),
  })
  .partial();

export const messagesRequest = z
  .strictObject({
    system: z.union([z.string(), z.array(text)]),
    stream: z.boolean(),
    temperature: z.number().min(0).max(1),
    top_p: z.number().min(0).max(1),
    top_k: z.int(),
    stop_sequences: z.array(nonBlankText),
    metadata: z.strictObject({
      user_id: z.string().max(256, 'String should have at most 256 characters').nullish(),
    }),
    service_tier: z.enum(['auto', 'standard_only']),
    cache_control,
    output_config,
    thinking,
    tools: z.array(z.union([tool, serverTool])),
    tool_choice,
    context_management: object,
    thread: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('create') }),
      z.strictObject({ type: z.literal('continue'), previous_message_id: z.string() }),
    ]),
    fallbacks: z.union([z.literal('default'), z.array(object)]),
  })
  .partial()
  .extend({ model: z.string(), max_tokens: z.int().min(1), messages: z.array(message).min(1) });

export type MessagesRequest = z.infer<typeof messagesRequest>;

/** Describes the first violation in the words of the real API, such as `max_tokens: Field required`. */
export function describeViolation({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined ? 'Invalid request' : describeIssue(issue, []);
}

function describeIssue(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): string {
  const path = [...parents, ...issue.path];
  if (issue.code === 'invalid_union') {
    const [deepest] = issue.errors.flat().sort((one, other) => other.path.length - one.path.length);
    if (deepest !== undefined && deepest.path.length > 0) return describeIssue(deepest, path);
  }
  if (issue.code === 'unrecognized_keys')
    return `${[...path, issue.keys[0]].join('.')}: Extra inputs are not permitted`;
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return `${path.join('.')}: ${isMissing ? 'Field required' : issue.message}`;
}
