/** Rules by which OpenAI-compatible providers reject requests, most of them for unknown fields. */
import { z } from 'zod';
import { type Rule, toolResultsFollowCalls } from './chat-request.ts';

/** Schema of an object with only these fields, all optional and of any type. */
const optionalFields = (fields: string) =>
  z.strictObject(Object.fromEntries(fields.split(' ').map((name) => [name, z.unknown().optional()])));

const part = z.looseObject({ cache_control: z.never().optional() });

/** Schema of messages: fields by role, besides `role` and `content`, and the fields of a tool call. */
function messagesSchema(
  fieldsByRole: Record<string, string>,
  toolCall = 'id type function',
  contentPart = part,
) {
  const message = Object.entries(fieldsByRole).map(([role, fields]) =>
    optionalFields(`role content ${fields}`.trim()).extend({
      role: z.literal(role),
      content: z.union([z.string(), z.array(contentPart)]).nullish(),
      ...(fields.includes('tool_calls') && { tool_calls: z.array(optionalFields(toolCall)).nullish() }),
    }),
  );
  return z.array(z.union(message));
}

const rule =
  (schema: z.ZodType): Rule =>
  ({ body }) => {
    const { error } = schema.safeParse(body);
    return error && z.prettifyError(error);
  };
const strictMessages = (fieldsByRole: Record<string, string>) =>
  rule(z.looseObject({ messages: messagesSchema(fieldsByRole) }));

/** https://github.com/Cerebras/cerebras-cloud-sdk-python, https://github.com/NousResearch/hermes-agent/issues/34716 */
export const cerebrasRules = [
  strictMessages({
    system: 'name',
    user: 'name',
    assistant: 'name reasoning tool_calls',
    tool: 'name tool_call_id',
  }),
];

/** https://github.com/groq/groq-python, https://github.com/spring-projects/spring-ai/issues/6968 */
export const groqRules: Rule[] = [
  ({ response_format: format, tools }) =>
    format?.type === 'json_object' &&
    tools !== undefined &&
    'json mode cannot be combined with tool/function calling',
  strictMessages({
    system: 'name',
    developer: 'name',
    user: 'name',
    assistant: 'name function_call reasoning tool_calls',
    tool: 'name tool_call_id',
  }),
];

const anyRole = 'name reasoning_content tool_call_id tool_calls';
/** https://github.com/fw-ai-external/python-sdk, https://github.com/earendil-works/pi/issues/4514 */
export const fireworksRules = [
  strictMessages({ system: anyRole, developer: anyRole, user: anyRole, assistant: anyRole, tool: anyRole }),
];

/** https://github.com/earendil-works/pi/issues/1048 */
export const deepseekRules: Rule[] = [
  ({ messages }) => {
    const invalid = messages.find(({ role }) => !/^(system|user|assistant|tool|latest_reminder)$/.test(role));
    return invalid && `unknown variant \`${invalid.role}\``;
  },
];

/** https://docs.cohere.com/docs/compatibility-api */
export const cohereRules: Rule[] = [
  ({ body }) => body.stream_options !== undefined && 'stream_options is not supported',
];

/** https://docs.mistral.ai/api/#tag/chat and `models/*.py` of https://github.com/mistralai/client-python */
export const mistralRules: Rule[] = [
  rule(
    optionalFields(
      'model messages temperature top_p max_tokens stream stop random_seed n response_format tools tool_choice ' +
        'presence_penalty frequency_penalty prediction parallel_tool_calls prompt_mode reasoning_effort ' +
        'safe_prompt metadata guardrails prompt_cache_key document_image_limit document_page_limit',
    ).extend({
      messages: messagesSchema(
        { system: '', user: '', assistant: 'tool_calls prefix', tool: 'tool_call_id name' },
        'id type function index',
        part.extend({ input_audio: z.string().optional() }),
      ),
      tools: z
        .array(
          z.strictObject({
            type: z.literal('function'),
            function: optionalFields('name description parameters strict').extend({
              parameters: z.looseObject({}),
            }),
          }),
        )
        .optional(),
    }),
  ),
  // An id has nine letters and digits. https://github.com/mistralai/mistral-common
  ({ messages }) => {
    const ids = messages.flatMap(({ tool_calls: calls }) => calls ?? []).map(({ id }) => id);
    return ids.some((id) => !/^[a-zA-Z0-9]{9}$/.test(id)) && `Tool call id must be a-z, A-Z, 0-9: ${ids}`;
  },
  toolResultsFollowCalls,
];
