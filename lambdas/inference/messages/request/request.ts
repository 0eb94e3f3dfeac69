/**
 * Parses and validates the body of a Messages request.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import type {
  CompletionRequest,
  ReasoningEffort,
  ResponseFormat,
} from '#lambdas/inference/completion/request.ts';
import { exactBody, type RequestBody } from '#lambdas/inference/exact-body.ts';
import { maxBudgetShare } from '#lambdas/inference/providers/translation/claude.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  isAbsent,
  readObject,
  readOptionalList,
  readOptionalNumber,
  readOptionalObject,
  readOptionalText,
  readText,
} from '#lambdas/platform/json/fields.ts';
import { readConversation } from './messages.ts';
import { messagesNames } from './names.ts';
import { ignoredFields, isProviderField, messagesSettings, providerFields } from './settings.ts';
import { readToolUse } from './tools.ts';

/**
 * Reads the request with the digits of numbers that are passed on. Throws a `GatewayError` (400) that names the invalid field
 * in Anthropic's notation, such as `messages.0.content.1.source.type`. `max_tokens` may be missing, as in a request to count
 * tokens. `provider` is the one whose data in signatures of thinking is kept; `null` keeps none.
 */
export function readMessagesCompletion(request: RequestBody, provider: string | null): CompletionRequest {
  const body = exactBody(request, isPassedOn);
  const number = (name: string) => readOptionalNumber(body[name], name);
  const outputConfig = readOptionalObject(body.output_config, 'output_config');
  const maxTokens = number('max_tokens');
  const budget = readBudget(body.thinking, maxTokens);
  return {
    ...readConversation(body, provider),
    ...readToolUse(body),
    responseFormat: readFormat(outputConfig.format, 'output_config.format') ??
      readFormat(body.output_format, 'output_format') ?? { type: 'text' },
    stop: readOptionalList(body.stop_sequences, 'stop_sequences').map((sequence, index) =>
      readText(sequence, `stop_sequences.${index}`),
    ),
    maxTokens,
    temperature: number('temperature'),
    topP: number('top_p'),
    topK: number('top_k'),
    frequencyPenalty: null,
    presencePenalty: null,
    seed: null,
    n: null,
    reasoningEffort: readEffort(body.thinking, outputConfig.effort, budget?.tokens ?? null),
    reasoningBudget: budget?.tokens ?? null,
    reasoningSummary: isThinkingShown(body.thinking) ? 'auto' : null,
    user: readUser(body.metadata),
    settings: messagesSettings(body),
    omissions: [
      ...ignoredFields(body, provider),
      ...(budget?.isLowered ? [messagesNames.reasoningBudget] : []),
    ],
    names: isAbsent(body.thinking)
      ? { ...messagesNames, reasoningEffort: 'output_config.effort' }
      : messagesNames,
    providerFields: providerFields(body),
  };
}

/** Messages contain numbers in the input of tool calls. */
function isPassedOn(field: string): boolean {
  return ['messages', 'tools', 'output_config', 'output_format'].includes(field) || isProviderField(field);
}

function readUser(metadata: unknown): CompletionRequest['user'] {
  const param = messagesNames.user;
  const id = readOptionalText(readOptionalObject(metadata, 'metadata').user_id, param);
  return id === null ? null : { id, param };
}

/** The output follows the schema, which other formats call strict and give a name. */
function readFormat(value: unknown, param: string): ResponseFormat | null {
  if (isAbsent(value)) return null;
  const { type, schema } = readObject(value, param);
  if (type !== 'json_schema') throw invalidRequestError(`${param}.type`, `${param}.type must be json_schema`);
  return {
    type,
    name: 'output',
    description: null,
    schema: readObject(schema, `${param}.schema`),
    strict: true,
  };
}

const efforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
/** "`high`: equivalent to not setting the parameter" https://platform.claude.com/docs/en/build-with-claude/effort */
const defaultEffort: ReasoningEffort = 'high';

/** The smallest token budgets of the efforts above `low`, among those that every model with efforts has. */
const minBudgets: readonly [ReasoningEffort, number][] = [
  ['high', 16_384],
  ['medium', 8_192],
];

/** https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking */
function readEffort(thinking: unknown, effort: unknown, budget: number | null): ReasoningEffort | null {
  const given = isAbsent(effort) ? null : efforts.find((known) => known === effort);
  if (given === undefined) {
    const message = `output_config.effort must be one of ${efforts.join(', ')}`;
    throw invalidRequestError('output_config.effort', message);
  }
  if (isAbsent(thinking)) return given;
  switch (readObject(thinking, 'thinking').type) {
    case 'disabled':
    case 'between_tools':
      return 'none';
    case 'adaptive':
      return given ?? defaultEffort;
    case 'enabled':
      return given ?? minBudgets.find(([, min]) => (budget ?? 0) >= min)?.[0] ?? 'low';
    default:
      throw invalidRequestError('thinking.type', 'thinking.type must be adaptive, enabled or disabled');
  }
}

/** Thinking is shown unless its display is omitted: https://platform.claude.com/docs/en/build-with-claude/thinking */
function isThinkingShown(thinking: unknown): boolean {
  const { type, display } = readOptionalObject(thinking, 'thinking');
  return (type === 'enabled' || type === 'adaptive') && display !== 'omitted';
}

interface Budget {
  tokens: number;
  /** True if the output would have no tokens left, which Anthropic itself refuses. */
  isLowered: boolean;
}

function readBudget(thinking: unknown, maxTokens: number | null): Budget | null {
  const { type, budget_tokens: tokens } = readOptionalObject(thinking, 'thinking');
  if (type !== 'enabled') return null;
  const param = messagesNames.reasoningBudget;
  if (typeof tokens !== 'number') throw invalidRequestError(param, `${param} must be a number`);
  if (maxTokens === null || tokens < maxTokens) return { tokens, isLowered: false };
  return { tokens: Math.floor(maxTokens * maxBudgetShare), isLowered: true };
}
