/** Rules by which the Messages API rejects a well-formed request; some depend on the model. */
import { structuredOutputError } from '../structured-output-schema.ts';
import type { MessagesRequest } from './request-schema.ts';

interface Turn {
  role: 'user' | 'assistant' | 'system';
  blocks: Record<string, unknown>[];
}

export function toTurns({ messages }: MessagesRequest): Turn[] {
  return messages.map(({ role, content }) => ({
    role,
    blocks: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  }));
}

interface Validation
  extends Pick<MessagesRequest, 'max_tokens' | 'temperature' | 'top_p' | 'top_k' | 'tool_choice'> {
  turns: Turn[];
  lastTurn: Turn | undefined;
  tools: NonNullable<MessagesRequest['tools']>;
  thinkingType: string | undefined;
  budget: number;
  output: NonNullable<MessagesRequest['output_config']>;
  isForced: boolean;
  cacheControlCount: number;
}

/** Predicates that are true when the request violates the rule, by error message. A string replaces the message. */
type Rules = Record<string, (validation: Validation) => unknown>;

const conversationRules: Rules = {
  'messages: first message must use the "user" role': ({ turns }) => turns[0]?.role !== 'user',
  'all messages must have non-empty content except for the optional final assistant message': ({ turns }) =>
    turns.slice(0, -1).some(({ blocks }) => blocks.length === 0 || blocks[0]?.text === ''),
  'messages: final assistant content cannot end with trailing whitespace': ({ lastTurn }) =>
    lastTurn?.role === 'assistant' && /\s$/.test(String(lastTurn.blocks.at(-1)?.text ?? '')),
  'The final block in an assistant message cannot be `thinking`.': ({ turns }) =>
    turns.some(({ blocks }) => /thinking$/.test(String(blocks.at(-1)?.type))),
  'Each `tool_use` block needs one result.': ({ turns }) => toolResultError(turns),
  '`tool_use` ids must be unique': ({ turns }) => {
    const ids = turns.flatMap(({ blocks }) => fieldValues(blocks, 'tool_use', 'id'));
    return new Set(ids).size < ids.length;
  },
  'Requests which include `tool_use` or `tool_result` blocks must define tools.': ({ turns, tools }) =>
    tools.length === 0 && turns.some(({ blocks }) => blocks.some(({ type }) => /^tool_/.test(String(type)))),
  'tools: Tool names must be unique.': ({ tools }) =>
    new Set(tools.map(({ name }) => name)).size < tools.length,
  'tool_choice may only be specified while providing tools': ({ tools, tool_choice }) =>
    tool_choice !== undefined && tools.length === 0,
  'Tool not found in provided tools': ({ tools, tool_choice }) =>
    tool_choice?.type === 'tool' && !tools.some(({ name }) => name === tool_choice.name),
  'A maximum of 4 blocks with cache_control may be provided.': ({ cacheControlCount }) =>
    cacheControlCount > 4,
  '`temperature` and `top_p` cannot both be specified for this model.': ({ temperature, top_p }) =>
    temperature !== undefined && top_p !== undefined,
};

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const thinkingRules: Rules = {
  'Thinking may not be enabled when tool_choice forces tool use.': ({ thinkingType, isForced }) =>
    isForced && /^(enabled|adaptive)$/.test(String(thinkingType)),
  '`temperature` may only be set to 1 when thinking is enabled.': ({
    thinkingType,
    temperature = 1,
    top_k,
  }) => /^(enabled|adaptive)$/.test(String(thinkingType)) && (temperature !== 1 || top_k !== undefined),
  '`max_tokens` must be greater than `thinking.budget_tokens`.': ({ max_tokens, budget }) =>
    budget >= max_tokens,
  'A final `assistant` message must start with a thinking block.': ({ thinkingType, turns }) => {
    const at = turns.findLastIndex(({ role }) => role === 'assistant');
    const blocks = turns[at]?.blocks ?? [];
    const calls = blocks.some(({ type }) => type === 'tool_use');
    const found = String(blocks[0]?.type);
    return (
      thinkingType === 'enabled' &&
      calls &&
      !/thinking$/.test(found) &&
      `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`
    );
  },
};

/** https://platform.claude.com/docs/en/models/overview, …/build-with-claude/thinking-troubleshooting and …/effort */
const rulesByModel: [models: RegExp, rules: Rules][] = [
  [/./, conversationRules],
  [/./, thinkingRules],
  [
    /^claude-3-|-4-[15]$/,
    {
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.':
        ({ turns }) => turns.some(({ role }) => role === 'system'),
      'adaptive thinking is not supported on this model': ({ thinkingType }) => thinkingType === 'adaptive',
      'max_tokens is above the maximum allowed number of output tokens': ({ max_tokens }) =>
        max_tokens > 64_000,
    },
  ],
  [
    /^claude-3-|-4-1$|(sonnet|haiku)-4-5$/,
    {
      'This model does not support the effort parameter.': ({ output }) => output.effort !== undefined,
    },
  ],
  [
    /^claude-3-/,
    {
      "'output_config.format' is not supported for this model.": ({ output }) => output.format !== undefined,
    },
  ],
  [
    /-4-[678]$|[a-z]-5(-\d)?$/,
    {
      'This model does not support assistant message prefill.': ({ lastTurn }) =>
        lastTurn?.role === 'assistant',
    },
  ],
  [
    /-4-[78]$|[a-z]-5(-\d)?$/,
    {
      '"thinking.type.enabled" is not supported for this model.': ({ thinkingType }) =>
        thinkingType === 'enabled',
      '`temperature`, `top_p` and `top_k` are deprecated for this model.': ({
        temperature = 1,
        top_p,
        top_k,
      }) => temperature !== 1 || top_p !== undefined || top_k !== undefined,
    },
  ],
  [
    /fable-5|(opus|sonnet)-5-5$/,
    {
      '"thinking.type.disabled" is not supported for this model.': ({ thinkingType }) =>
        thinkingType === 'disabled',
    },
  ],
  [
    /^(?!claude-sonnet-5-5$)/,
    {
      '"thinking.type.between_tools" is not supported for this model.': ({ thinkingType }) =>
        thinkingType === 'between_tools',
    },
  ],
  [
    /fable-5-1$|(opus|sonnet)-5-5$/,
    {
      'tool_choice: type "tool" and "any" are not supported for this model.': ({ isForced }) => isForced,
    },
  ],
];

export function findRejection(request: MessagesRequest): string | null {
  const { tool_choice, thinking, model, tools = [], output_config: output = {} } = request;
  const turns = toTurns(request);
  const validation: Validation = {
    ...request,
    turns,
    tools,
    output,
    lastTurn: turns.at(-1),
    thinkingType: thinking?.type,
    budget: thinking?.type === 'enabled' ? thinking.budget_tokens : 0,
    isForced: /^(any|tool)$/.test(String(tool_choice?.type)),
    cacheControlCount: JSON.stringify(request).split('"cache_control":{').length - 1,
  };
  // On Bedrock, names are such as `us.anthropic.claude-sonnet-4-5-20250929-v1:0`.
  const name = model.replace(/^(\w+\.)?anthropic\./, '').replace(/(-\d{8})?(-v\d+:\d+)?$/, '');
  const modelRules = rulesByModel
    .filter(([models]) => models.test(name))
    .flatMap(([, rules]) => Object.entries(rules));
  const [violated = null] = modelRules.flatMap(([message, violates]) => {
    const violation = violates(validation);
    return typeof violation === 'string' ? [violation] : violation ? [message] : [];
  });
  const strict = tools.flatMap((tool) =>
    'strict' in tool && tool.strict === true ? [tool.input_schema] : [],
  );
  const schemas = output.format === undefined ? strict : [output.format.schema, ...strict];
  return violated ?? schemas.map(structuredOutputError).find((error) => error !== null) ?? null;
}

function toolResultError(turns: readonly Turn[]): string | false {
  for (const [at, { blocks }] of [...turns, { blocks: [] }].entries()) {
    const calls = fieldValues(turns[at - 1]?.blocks, 'tool_use', 'id');
    const first = fieldValues(blocks.slice(0, calls.length), 'tool_result', 'tool_use_id');
    const missing = calls.filter((id) => !first.includes(id));
    if (missing.length > 0)
      return `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    const results = fieldValues(blocks, 'tool_result', 'tool_use_id');
    const unexpected = results.find((id) => !calls.includes(id));
    if (unexpected !== undefined)
      return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    if (results.length > calls.length)
      return `messages.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with one id.`;
  }
  return false;
}

function fieldValues(blocks: Turn['blocks'] = [], type: string, field: string): unknown[] {
  return blocks.flatMap((block) => (block.type === type ? [block[field]] : [])).sort();
}
