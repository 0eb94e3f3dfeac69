/** The command line of the local run: arguments and environment in; banner, log lines and exit code out. */
import { parseArgs, styleText } from 'node:util';
import { renderBanner } from './banner.ts';
import { type LocalGateway, startLocalGateway } from './local-gateway.ts';
import { LocalGatewayError, messageOf } from './local-gateway-error.ts';

const help = `Runs the gateway on this machine: npm start -- [--ephemeral]

  --ephemeral   keeps all data in memory; without it, data stays in .gateway/
  --help        shows this

Environment:
  PORT                       port of the REST API (default 3000); the chat Function URL has the next one
  <PROVIDER>_API_KEY         a provider's credential, such as OPENAI_API_KEY
  <PROVIDER>_BASE_URL        where a provider answers, such as VLLM_BASE_URL=http://127.0.0.1:8000/v1
  GATEWAY_DATA_DIRECTORY     where data stays (default .gateway)
  AWS_ENDPOINT_URL_DYNAMODB  another DynamoDB, such as DynamoDB Local, instead of the embedded one
  AWS_ENDPOINT_URL_SQS       another SQS instead of the embedded one
`;

const parentCheckMs = 250;

export interface CommandLineSettings {
  arguments: string[];
  environment: NodeJS.ProcessEnv;
  dataDirectory: string;
  /** Default: the app is synthesized. */
  assemblyDirectory?: string;
}

interface Session {
  /** Once it has started. */
  gateway: LocalGateway | undefined;
  stopping: boolean;
}

/** Runs until a signal ends the process. */
export function runCommandLine(settings: CommandLineSettings): void {
  const session: Session = { gateway: undefined, stopping: false };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(session));
  if (settings.environment.npm_lifecycle_event === 'start') stopWithParent(session);
  run(settings, session).catch((error) => {
    console.error(error instanceof LocalGatewayError ? messageOf(error) : error);
    process.exit(1);
  });
}

/**
 * Ends with npm, which passes on SIGINT and SIGTERM only. It passes them to the shell in which it runs the script, so the
 * script replaces that shell (`exec`): npm is then the parent of this process.
 */
function stopWithParent(session: Session): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop(session);
  }, parentCheckMs).unref();
}

/** A second signal does not wait. What was started ends with this process in any case. */
async function stop(session: Session): Promise<void> {
  const { gateway, stopping } = session;
  if (stopping || gateway === undefined) process.exit(stopping ? 1 : 0);
  session.stopping = true;
  await gateway.stop();
  process.exit(0);
}

async function run(settings: CommandLineSettings, session: Session): Promise<void> {
  const { values } = readArguments(settings.arguments);
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  session.gateway = await startLocalGateway({
    ...settings,
    port: readPort(settings.environment.PORT),
    ephemeral: values.ephemeral,
    onProgress: (step) => console.error(styleText('dim', `${step} …`, { stream: process.stderr })),
    onLogLine: (line) => console.error(line),
  });
  process.stdout.write(renderBanner(session.gateway));
}

function readArguments(argumentList: string[]) {
  try {
    return parseArgs({
      args: argumentList,
      options: { ephemeral: { type: 'boolean' }, help: { type: 'boolean' } },
    });
  } catch (error) {
    throw new LocalGatewayError(`${messageOf(error)}: see --help`);
  }
}

function readPort(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_535) return port;
  throw new LocalGatewayError(`PORT must be a number from 0 to 65534, not "${text}"`);
}
