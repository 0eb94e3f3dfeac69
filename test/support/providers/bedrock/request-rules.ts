/**
 * Rules by which Bedrock and its models reject a well-formed Converse request. Messages are from errors that users have
 * reported: github.com/vercel/ai packages/amazon-bedrock/src/__fixtures__, agno-agi/agno#6698, OpenHands/OpenHands#4912.
 */
import type {
  ContentBlock,
  ConverseRequest,
  SystemContentBlock,
  Tool,
} from '@aws-sdk/client-bedrock-runtime';
import { type JsonObject, objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import { structuredOutputError } from '../structured-output-schema.ts';

interface Validation {
  turns: { role: string | undefined; content: ContentBlock[] }[];
  blocks: ContentBlock[];
  tools: Tool[];
  /** In the order in which the model reads them. */
  cachePoints: { ttl?: string | undefined }[];
  choice: string | undefined;
  config: NonNullable<ConverseRequest['inferenceConfig']>;
  modelFields: JsonObject;
  thinking: JsonObject;
  /** JSON Schema of the completion, as text. */
  schema: string | undefined;
  request: ConverseRequest;
}

/** Predicates that are true when the request violates the rule, by error message. */
type Rules = Record<string, (validation: Validation) => unknown>;

const isToolName = (name = '') => /^[a-zA-Z0-9_-]{1,64}$/.test(name);
const isToolUseId = (id = '') => /^[a-zA-Z0-9_.:-]{1,64}$/.test(id);
const isDocumentName = (name = '') => /^[a-zA-Z0-9_\-()[\] ]{1,200}$/.test(name) && !name.includes('  ');

const conversationRules: Rules = {
  'A conversation must have at least one message.': ({ turns }) => turns.length === 0,
  'The content field in the Message object is empty.': ({ turns }) =>
    turns.some(({ content }) => content.length === 0),
  'The text field in the ContentBlock object is blank.': ({ blocks, request: { system = [] } }) =>
    [...blocks, ...system].some(({ text }) => text?.trim() === ''),
  'A conversation must start with a user message.': ({ turns }) => turns[0]?.role !== 'user',
  'A conversation must alternate between user and assistant roles.': ({ turns }) =>
    turns.some(({ role }, at) => role === turns[at - 1]?.role),
  'A text block is required with a document block.': ({ turns }) =>
    turns.some(({ content }) => content.some((it) => it.document) && !content.some((it) => it.text)),
  'The document file name can only contain alphanumeric characters, …': ({ blocks }) =>
    blocks.some(({ document }) => document && !isDocumentName(document.name)),
  'The value at toolUseId failed to satisfy constraint': ({ blocks }) =>
    blocks.some(
      ({ toolUse, toolResult }) => !isToolUseId((toolUse ?? toolResult ?? { toolUseId: 'a' }).toolUseId),
    ),
  'Expected toolResult blocks for the Ids of the toolUse blocks of the previous turn, and for no others': ({
    turns,
  }) =>
    [...turns, { content: [] }].some(
      ({ content }, at) =>
        toolUseIds(content, 'toolResult').sort().join() !==
        toolUseIds(turns[at - 1]?.content, 'toolUse')
          .sort()
          .join(),
    ),
  'The toolConfig field must be defined when using toolUse and toolResult content blocks.': ({
    blocks,
    tools,
  }) => tools.length === 0 && blocks.some((it) => it.toolUse ?? it.toolResult),
  'The tool name failed to satisfy constraint': ({ tools }) =>
    tools.some(({ toolSpec }) => toolSpec && !isToolName(toolSpec.name)),
  'inferenceConfig failed to satisfy constraint': ({
    config: { maxTokens = 1, temperature = 0, topP = 0 },
  }) => maxTokens < 1 || temperature < 0 || temperature > 1 || topP < 0 || topP > 1,
  'A maximum of 4 blocks with cache_control may be provided.': ({ cachePoints }) => cachePoints.length > 4,
  "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.": ({ cachePoints }) =>
    cachePoints.some(({ ttl }, at) => ttl === '1h' && cachePoints.slice(0, at).some((it) => it.ttl !== '1h')),
};

const thinkingBudget = ({ thinking }: Validation) => Number(thinking.budget_tokens);
const isForced = ({ modelFields, choice }: Validation) =>
  /^(any|tool)$/.test(String(objectOrEmpty(modelFields.tool_choice).type ?? choice));
const hasFieldsExcept =
  (...names: string[]) =>
  ({ modelFields }: Validation) =>
    Object.keys(modelFields).some((name) => !names.includes(name));

/** https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html */
const rulesByModel: [models: RegExp, rules: Rules][] = [
  [
    /claude-(opus-4-[78]|(opus|sonnet|haiku)-5)/,
    {
      '`temperature`, `top_p` and `top_k` are deprecated for this model.': ({
        config: { temperature, topP },
        modelFields,
      }) => temperature ?? topP ?? modelFields.top_k,
    },
  ],
  [
    /claude-.*-4-[56]/,
    {
      '`temperature` and `top_p` cannot both be specified for this model.': ({
        config: { temperature, topP },
      }) => temperature !== undefined && topP !== undefined,
    },
  ],
  [
    /llama|gpt-oss|claude-opus-5-5/,
    {
      "This model doesn't support toolConfig.toolChoice.any and .tool": ({ choice = 'auto' }) =>
        choice !== 'auto',
    },
  ],
  [/mistral/, { "This model doesn't support toolConfig.toolChoice.tool": ({ choice }) => choice === 'tool' }],
  [
    /llama|gpt-oss|mistral/,
    {
      "This model doesn't support the image field for user messages.": ({ blocks }) =>
        blocks.some(({ image }) => image),
    },
  ],
  [
    /^(?!.*(claude-.*-4-[56]|claude-opus-5-5|gpt-oss))/,
    {
      "This model doesn't support the outputConfig.textFormat field.": ({ schema }) => schema !== undefined,
      'tools.custom.strict: Extra inputs are not permitted': ({ tools }) =>
        tools.some(({ toolSpec }) => toolSpec?.strict),
    },
  ],
  [
    /llama|gpt-oss|mistral|claude-3-haiku/,
    {
      'You invoked an unsupported model or your request did not allow prompt caching.': ({ cachePoints }) =>
        cachePoints.length > 0,
    },
  ],
  [
    /^(?!.*claude)/,
    {
      "This model doesn't support the reasoningContent.reasoningText.signature field.": ({ blocks }) =>
        blocks.some(({ reasoningContent }) => reasoningContent?.reasoningText?.signature),
    },
  ],
  // https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html
  [
    /claude/,
    {
      'Extra inputs are not permitted': hasFieldsExcept(
        ...['thinking', 'output_config', 'top_k', 'tool_choice', 'anthropic_beta', 'metadata'],
      ),
      'The additional field tool_choice/type conflicts with toolConfig.toolChoice.': ({
        modelFields,
        choice,
      }) => modelFields.tool_choice !== undefined && choice !== undefined,
      'Thinking may not be enabled when tool_choice forces tool use.': (it) =>
        /enabled|adaptive/.test(String(it.thinking.type)) && isForced(it),
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024': (it) =>
        thinkingBudget(it) < 1024,
      '`max_tokens` must be greater than `thinking.budget_tokens`.': (it) =>
        thinkingBudget(it) >= (it.config.maxTokens ?? Number.POSITIVE_INFINITY),
      '`temperature` may only be set to 1 when thinking is enabled, and `top_k` must be unset.': (it) =>
        it.thinking.type === 'enabled' &&
        ((it.config.temperature ?? 1) !== 1 || it.modelFields.top_k !== undefined),
      'Expected `thinking` or `redacted_thinking`, but found `tool_use`.': ({ thinking, turns }) => {
        const content = turns.at(-2)?.content ?? [];
        return (
          thinking.type === 'enabled' && content.some((it) => it.toolUse) && !content[0]?.reasoningContent
        );
      },
    },
  ],
  [
    /claude-(3|.*-4-[015])/,
    {
      'adaptive thinking is not supported on this model': ({ thinking }) => thinking.type === 'adaptive',
      'This model does not support the effort parameter.': ({ modelFields }) =>
        modelFields.output_config !== undefined,
    },
  ],
  [
    /claude-(3|opus-4-[678]|(opus|sonnet|haiku)-5)/,
    {
      '"thinking.type.enabled" is not supported for this model.': ({ thinking }) =>
        thinking.type === 'enabled',
    },
  ],
  // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
  [
    /nova/,
    {
      // https://github.com/pydantic/pydantic-ai/issues/1623, https://github.com/zed-industries/zed/issues/28521
      'The model returned the following errors: Malformed input request: #/toolConfig/tools/0/toolSpec/inputSchema/json: extraneous key is not permitted, please reformat your input and try again.':
        ({ tools }) =>
          tools.some(({ toolSpec }) =>
            Object.keys(objectOrEmpty(toolSpec?.inputSchema?.json)).some(
              (name) => !/^(type|properties|required)$/.test(name),
            ),
          ),
      'extraneous key is not permitted': hasFieldsExcept('inferenceConfig', 'reasoningConfig'),
      "This model doesn't support the cachePoint.ttl field.": ({ cachePoints }) =>
        cachePoints.some(({ ttl }) => ttl === '1h'),
      'must be unset when maxReasoningEffort is high': ({
        modelFields,
        config: { maxTokens, temperature, topP },
      }) =>
        objectOrEmpty(modelFields.reasoningConfig).maxReasoningEffort === 'high' &&
        (maxTokens ?? temperature ?? topP) !== undefined,
    },
  ],
  // https://docs.aws.amazon.com/nova/latest/userguide/complete-request-schema.html
  [
    /nova-(micro|lite|pro|premier)/,
    {
      'The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens value that is lower than 10000.':
        ({ config: { maxTokens = 1 } }) => maxTokens > 10_000,
    },
  ],
  [
    /nova-lite/,
    { 'the provided reasoning config value is invalid': ({ modelFields }) => modelFields.reasoningConfig },
  ],
  [/gpt-oss/, { 'Unknown parameter': hasFieldsExcept('reasoning_effort') }],
];

export function findRejection(request: ConverseRequest, model: string): string | null {
  const { messages = [], system = [], toolConfig, inferenceConfig: config = {}, outputConfig } = request;
  const turns = messages.map(({ role, content = [] }) => ({ role, content }));
  const blocks = turns.flatMap(({ content }) => content);
  const tools = toolConfig?.tools ?? [];
  const modelFields = objectOrEmpty(request.additionalModelRequestFields);
  const blocksWithCachePoints: (Tool | SystemContentBlock | ContentBlock)[] = [
    ...tools,
    ...system,
    ...blocks,
  ];
  const schema = outputConfig?.textFormat?.structure?.jsonSchema?.schema;
  const validation: Validation = {
    turns,
    blocks,
    tools,
    config,
    modelFields,
    schema,
    request,
    cachePoints: blocksWithCachePoints.flatMap(({ cachePoint }) => cachePoint ?? []),
    choice: Object.keys(toolConfig?.toolChoice ?? {})[0],
    thinking: objectOrEmpty(modelFields.thinking),
  };
  const modelRules = rulesByModel.filter(([models]) => models.test(model)).map(([, rules]) => rules);
  const violated = [conversationRules, ...modelRules]
    .flatMap((rules) => Object.entries(rules))
    .find(([, violates]) => violates(validation));
  return violated?.[0] ?? (schema === undefined ? null : structuredOutputError(parseJson(schema)));
}

function toolUseIds(content: ContentBlock[] = [], kind: 'toolUse' | 'toolResult'): string[] {
  return content.flatMap((block) => block[kind]?.toolUseId ?? []);
}
