export interface Endpoint {
  name: 'rest_api' | 'function_url';
  /** Without a trailing slash. */
  baseUrl: string;
}

export function chatUrl({ baseUrl }: Endpoint): string {
  return `${baseUrl}/ai/chat/completions`;
}

export function streamTestUrl({ baseUrl }: Endpoint): string {
  return `${baseUrl}/ai/stream-test`;
}
