import { parseArgs } from 'node:util';
import { type ContextOptions, readContext } from '#lib/settings/context-options.ts';
import { standardErrors, standardOutput } from '#lib/terminal-output.mjs';
import { renderBanner } from './banner.ts';
import { type LocalGateway, startLocalGateway } from './local-gateway.ts';
import { LocalGatewayError, messageOf } from './local-gateway-error.ts';
import { printFailure, printStep } from './messages.ts';
import { readableLine } from './monitoring/readable-lines.ts';
import { createStartProgress } from './start-progress.ts';

const help = `Run the gateway on this machine: npm start -- [options]

  --ephemeral           keep all data in memory instead of .gateway/
  --config FILE         settings to use instead of gateway.config.ts, like "cdk deploy -c config=FILE"; -c config=FILE
                        works too
  --hold-chunks         send each small write of a response stream with the next one, as Lambda is reported to do
  --report-disconnects  tell the functions when a caller disconnects, which AWS does not
  --help                show this help

Environment:
  PORT                       port of the REST API (default 3000); the chat function URL, the dashboard and its
                             sign-in use the next three
  <PROVIDER>_API_KEY         API key of a provider, such as OPENAI_API_KEY
  <PROVIDER>_BASE_URL        base URL of a provider, such as VLLM_BASE_URL=http://127.0.0.1:8000/v1
  IDENTITY_PROVIDER_CLIENT_SECRET
                             client secret of the company's identity provider, if the settings name one
  GATEWAY_DATA_DIRECTORY     data directory (default .gateway)
  AWS_ENDPOINT_URL_DYNAMODB  DynamoDB endpoint to use instead of the embedded engine, such as DynamoDB Local
  AWS_ENDPOINT_URL_SQS       SQS endpoint to use instead of the embedded engine
`;

const parentCheckMs = 250;

/** The gateway uses this port and the next three. */
const maxPort = 65_532;

interface CommandLineSettings {
  arguments: string[];
  environment: NodeJS.ProcessEnv;
  dataDirectory: string;
  assemblyDirectory?: string;
}

interface Session {
  gateway: LocalGateway | undefined;
  stopping: boolean;
}

/** Starts the gateway and keeps it running until SIGINT, SIGTERM or SIGHUP. */
export function runCommandLine(settings: CommandLineSettings): void {
  const session: Session = { gateway: undefined, stopping: false };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(session));
  if (settings.environment.npm_lifecycle_event === 'start') stopWithParent(session);
  run(settings, session).catch((error) => {
    printFailure(error);
    process.exit(1);
  });
}

/**
 * Stops the gateway when npm exits. npm forwards only SIGINT and SIGTERM, and forwards them to the shell that runs the
 * script. The script therefore replaces that shell (`exec`), which makes npm the parent of this process.
 */
function stopWithParent(session: Session): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop(session);
  }, parentCheckMs).unref();
}

/** Exits immediately on a second signal: all child processes end with this process anyway. */
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
    standardOutput.write(help);
    return;
  }
  const progress = createStartProgress(printStep, Date.now);
  session.gateway = await startLocalGateway({
    ...settings,
    port: readPort(settings.environment.PORT),
    ephemeral: values.ephemeral,
    holdChunks: values['hold-chunks'],
    context: requireContext(values),
    reportDisconnects: values['report-disconnects'],
    onProgress: progress.begin,
    onLogLine: printLogLine,
  });
  progress.end();
  standardOutput.write(renderBanner(session.gateway));
}

function printLogLine(line: string): void {
  const readable = readableLine(line);
  if (readable !== null) standardErrors.write(`${readable}\n`);
}

function readArguments(argumentList: string[]) {
  try {
    return parseArgs({
      args: argumentList,
      options: {
        ephemeral: { type: 'boolean' },
        'hold-chunks': { type: 'boolean' },
        config: { type: 'string' },
        context: { type: 'string', short: 'c', multiple: true },
        'report-disconnects': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new LocalGatewayError(`${messageOf(error)}: see --help`);
  }
}

function requireContext(options: ContextOptions): Record<string, string> {
  const context = readContext(options);
  if (context !== null) return context;
  throw new LocalGatewayError('-c must be NAME=VALUE, such as -c config=staging.config.ts: see --help');
}

function readPort(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= maxPort) return port;
  throw new LocalGatewayError(`PORT must be an integer from 0 to ${maxPort}, not "${text}"`);
}
