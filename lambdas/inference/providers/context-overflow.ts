/**
 * Recognizes that a request does not fit into the model's context window. Agents shorten the conversation when an error
 * has OpenAI's code `context_length_exceeded`, but most providers say it only in their message.
 */
import type { ProviderError } from './error-body.ts';

/** The second is llama.cpp's: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp */
const codes = ['context_length_exceeded', 'exceed_context_size_error'];

/** Several of these texts are collected in https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts */
const messages: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, OpenRouter, NVIDIA, Mistral ("too large for model with 32768 maximum context length"), SGLang,
  // vLLM: https://github.com/vllm-project/vllm/issues/33418, https://github.com/anomalyco/opencode/pull/25230
  /\bmaximum context length\b/i,
  // OpenAI ("exceeds the context window"), Anthropic ("exceed context limit"), llama.cpp ("exceeds the available context
  // size"), Ollama ("exceeded max context length"): https://github.com/stackblitz/bolt.new/issues/7414
  /\bexceed(s|ed)? (the |this |max )?(model's )?(available )?context (window|length|limit|size)\b/i,
  // MiniMax ("context window exceeds limit"), LM Studio ("Context size has been exceeded"), LiteLLM
  // ("ContextWindowExceededError"): https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2339
  /\bcontext[ _]?(window|length|size)[ _]?(has been )?exceed/i,
  // Anthropic, Fireworks, Bedrock ("Input is too long for requested model"), older vLLM ("The decoder prompt (length 21535)
  // is longer than …"), SGLang and Together ("The input (61709 tokens) is longer than the model's context length"):
  // https://github.com/vllm-project/vllm/issues/12165, https://github.com/QwenLM/Qwen3/issues/1321
  /\b(prompt|input)( \([^)]{1,40}\))? is (too long\b|longer than\b)/i,
  // Google: https://github.com/google-gemini/gemini-cli/issues/10196
  /\btoken count\s+(\(\d+\)\s+)?exceeds the maximum/i,
  // OpenAI's reasoning models ("Input tokens exceed the configured limit"), Nova ("Input Tokens Exceeded"), SiliconFlow:
  // https://github.com/cline/cline/issues/5474, https://github.com/continuedev/continue/issues/9971
  /\binput tokens (\(\d+\) )?(have )?exceed/i,
  // xAI: https://github.com/cline/cline/issues/3120
  /\bmaximum prompt length is \d/i,
  // Groq, Cerebras: https://github.com/cline/cline/issues/5140
  /\breduce the length of the (messages|prompt|input)/i,
  // LM Studio, by version: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546,
  // https://github.com/anomalyco/opencode/issues/2259, https://github.com/anomalyco/opencode/issues/11141
  /\bgreater than the context length\b|\bwhen context the overflows\b|\bn_keep \(\d+\) ?>= ?n_ctx\b/i,
  // Hugging Face's TGI, which Together also uses: https://github.com/huggingface/text-generation-inference/issues/628
  /`inputs` (tokens \+ `max_new_tokens` must be <=|must have less than) \d/i,
  // Cohere: https://github.com/cohere-ai/sandbox-topically/issues/4. Bedrock's throttling says "Too many tokens, please wait".
  /\btoo many tokens: /i,
  // Moonshot, DashScope (https://github.com/QwenLM/qwen-code/issues/98), Z.ai and Volcano Engine
  // (https://github.com/langgenius/dify/issues/32221), Baidu (https://github.com/PaddlePaddle/ERNIE-SDK/issues/336)
  /\bexceeded model token limit\b|\brange of input length should be\b|\bprompt exceeds max length\b/i,
  /\binput length \(?\d+\)? exceeds the maximum\b|\bprompt tokens too long\b/i,
];

/** Groq reports limits per minute with status 413: https://github.com/continuedev/continue/issues/10218 */
const rateLimit = /\brate.?limit|\b(tokens?|requests?) per (minute|hour|day)\b|\bTPM\b/i;

export function isContextOverflow({ message, code = '', upstreamMessage = '' }: ProviderError): boolean {
  if (rateLimit.test(code) || rateLimit.test(message)) return false;
  if (codes.includes(code)) return true;
  const texts = [message, upstreamMessage].filter((text) => !isOutputLimitTooLarge(text));
  return texts.some((text) => messages.some((pattern) => pattern.test(text)));
}

/**
 * vLLM also names the context length when `max_tokens` alone exceeds it, which a shorter conversation does not change:
 * https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/serving_engine.py
 */
function isOutputLimitTooLarge(message: string): boolean {
  const [, limit, window] =
    /^'?max_(?:completion_)?tokens\b.{0,40} is too large: (\d+)\. .{0,40} context length is (\d+) /i.exec(
      message,
    ) ?? [];
  return Number(limit) >= Number(window);
}
