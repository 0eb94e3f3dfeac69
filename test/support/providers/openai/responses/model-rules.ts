/** Rules by which OpenAI's Responses API refuses what a model does not take, in its words. */
import { filterObjects, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { Refusal, ResponsesRequest } from './request.ts';

export interface ModelAccess {
  /** Set for an organization that OpenAI has not verified, which gets no summaries of reasoning. */
  isUnverified?: boolean;
}

const refused = (message: string, param: string | null, code: string | null): Refusal => ({
  status: 400,
  message,
  param,
  code,
});

const reasons = /^(o\d|gpt-[5-9](?!-chat)|codex)/;
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

type Rule = (request: ResponsesRequest, access: ModelAccess) => Refusal | false;

/** https://developers.openai.com/api/docs/guides/reasoning, https://github.com/BerriAI/litellm/issues/16032 */
const rules: readonly Rule[] = [
  ({ reasoning, model }) => {
    const field = Object.keys(objectOrEmpty(reasoning)).find((name) => reasoning?.[name] != null);
    return (
      field !== undefined &&
      !reasons.test(model) &&
      refused(
        `Unsupported parameter: 'reasoning.${field}' is not supported with this model.`,
        `reasoning.${field}`,
        'unsupported_parameter',
      )
    );
  },
  ({ include, model }) =>
    include?.includes('reasoning.encrypted_content') === true &&
    !reasons.test(model) &&
    refused('Encrypted content is not supported with this model.', 'include', null),
  ({ reasoning, model }) => {
    const effort = reasoning?.effort ?? 'medium';
    // https://developers.openai.com/api/docs/models/gpt-5-pro
    const taken = /^gpt-5-pro/.test(model) ? ['high'] : efforts;
    return (
      !(taken.includes(String(effort)) || reasoning?.effort == null) &&
      refused(
        `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${taken.map((it) => `'${it}'`).join(', ')}.`,
        'reasoning.effort',
        'unsupported_value',
      )
    );
  },
  ({ reasoning }, { isUnverified }) =>
    isUnverified === true &&
    reasoning?.summary != null &&
    refused(
      'Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization. If you just verified, it can take up to 15 minutes for access to propagate.',
      'reasoning.summary',
      'unsupported_value',
    ),
  ({ temperature, model }) =>
    temperature != null &&
    temperature !== 1 &&
    /^(o\d|gpt-5(?![.]|-chat))/.test(model) &&
    refused(
      "Unsupported parameter: 'temperature' is not supported with this model.",
      'temperature',
      'unsupported_parameter',
    ),
  ({ safety_identifier: id }) =>
    typeof id === 'string' &&
    id.length > 64 &&
    refused(
      `Invalid 'safety_identifier': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
      'safety_identifier',
      'string_above_max_length',
    ),
  // The instructions do not count.
  ({ text, input }) =>
    objectOrEmpty(text?.format).type === 'json_object' &&
    !/json/i.test(JSON.stringify(input ?? '')) &&
    refused(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      'input',
      null,
    ),
  ({ input }) => {
    const items = typeof input === 'string' ? [] : filterObjects(input);
    const at = items.findIndex(({ call_id: id }) => typeof id === 'string' && id.length > 64);
    const param = `input[${at}].call_id`;
    return (
      at >= 0 &&
      refused(
        `Invalid '${param}': string too long. Expected a string with maximum length 64, but got a string with length ${String(items[at]?.call_id).length} instead.`,
        param,
        'string_above_max_length',
      )
    );
  },
];

export function findModelRefusal(request: ResponsesRequest, access: ModelAccess): Refusal | null {
  for (const rule of rules) {
    const refusal = rule(request, access);
    if (refusal !== false) return refusal;
  }
  return null;
}
