/** The HTTP status that an error without one stands for, such as an error in a 2xx response or in a stream. */
import { type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { codesOf, errorObject, textOf } from './error-body.ts';

/**
 * The HTTP status by the error's `code` or `type`. Anthropic: https://docs.claude.com/en/api/errors;
 * OpenAI: https://platform.openai.com/docs/guides/error-codes
 */
const statusByCode: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['context_length_exceeded', 400],
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['model_not_found', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
  // Google: https://cloud.google.com/apis/design/errors#handling_errors
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['OUT_OF_RANGE', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['RESOURCE_EXHAUSTED', 429],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
  // AWS: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
  ['AccessDeniedException', 403],
  ['ModelErrorException', 424],
  ['ModelNotReadyException', 429],
  ['ModelStreamErrorException', 424],
  ['ModelTimeoutException', 408],
  ['ResourceNotFoundException', 404],
  ['ServiceUnavailableException', 503],
  ['ThrottlingException', 429],
  ['ValidationException', 400],
  // DashScope: https://help.aliyun.com/en/model-studio/error-code
  ['InvalidParameter', 400],
  ['DataInspectionFailed', 400],
  ['InvalidApiKey', 401],
  ['Throttling', 429],
  // TGI: https://github.com/huggingface/text-generation-inference/blob/main/router/src/server.rs
  ['validation', 422],
]);

/** Also finds a code by its first part, for DashScope's `Throttling.RateQuota`. */
export function statusOfCode(code: string): number | null {
  const [firstPart = ''] = code.split('.');
  return statusByCode.get(code) ?? statusByCode.get(firstPart) ?? null;
}

/** Numbers that are no HTTP status, from the pages of Baidu and MiniMax that `reportsError` names. */
const statusByNumber: Readonly<Record<'error_code' | 'base_resp', ReadonlyMap<string, number>>> = {
  error_code: new Map([
    ['2', 503],
    ['4', 429],
    ['17', 429],
    ['18', 429],
    ['19', 429],
    ['110', 401],
    ['111', 401],
  ]),
  base_resp: new Map([
    ['1001', 504],
    ['1002', 429],
    ['1004', 401],
    ['1008', 402],
    ['1026', 400],
    ['1027', 400],
    ['1039', 429],
    ['2013', 400],
    ['2049', 401],
  ]),
};

/**
 * Returns the HTTP status that an error in a 2xx response stands for: a number (`code` at OpenRouter and vLLM,
 * `status_code` at Groq, `raw_status_code` at Mistral), or the status of its code or type. The code takes precedence:
 * OpenAI's error for an invalid key has the code `invalid_api_key` and the type `invalid_request_error`.
 */
export function statusInBody(value: JsonObject): number | null {
  const sources = [errorObject(value), value];
  const numbers = sources
    .flatMap(({ code, status, status_code: statusCode, raw_status_code: rawStatus }) => [
      ...[code, status, statusCode, rawStatus],
    ])
    .concat(value.error_code, value.error)
    .map(numberOf);
  const status = numbers.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
  if (status !== undefined) return status;
  const known = [
    ...sources.flatMap(codesOf).map(statusOfCode),
    statusByNumber.error_code.get(textOf(value.error_code)),
    statusByNumber.base_resp.get(textOf(objectOrEmpty(value.base_resp).status_code)),
  ];
  return known.find((found) => found != null) ?? null;
}

/** Does not convert objects, since that can throw, as for `{"toString":1}`. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}
