import { requireOutput } from '../connection/gateway-outputs.ts';
import { requireStackFor, type StackOptions } from '../connection/stack-options.ts';
import { usageError } from '../errors.ts';

/** Both are without a trailing slash. */
interface GatewayUrls {
  /** Base URL of the REST API. */
  url: string;
  /** The function URL, if it is checked too. */
  chatUrl?: string;
}

/** The URLs of the command line, or those of the stack that it names. Throws a usage error if it has neither. */
export async function readGatewayUrls(
  { url, chatUrl, ...options }: Partial<GatewayUrls> & StackOptions,
  environment: NodeJS.ProcessEnv,
): Promise<GatewayUrls> {
  requireStackFor(options);
  const { stack: stackName, ...awsOptions } = options;
  if (stackName === undefined) {
    if (url === undefined) throw usageError('Pass --stack NAME, or --url URL for a local gateway');
    return { url, chatUrl };
  }
  // Imported on demand: a local gateway needs no AWS client.
  const { readStack } = await import('../connection/deployed-stack.ts');
  const stack = await readStack({ stackName, ...awsOptions }, environment);
  return { url: requireOutput(stack, 'ApiBaseUrl'), chatUrl: requireOutput(stack, 'ChatUrl') };
}
