/**
 * The headers of OpenAI's clients that are for the provider. Excludes `idempotency-key`: organizations share the provider's
 * credential, and must not receive each other's responses.
 */
export const forwardedHeaders: readonly string[] = ['accept', 'openai-beta', 'user-agent'];

/** Without the betas, for a request that is sent to another API than the caller's. */
export const translatedHeaders: readonly string[] = ['accept', 'user-agent'];
