/** Who is measured: the upstream itself, the floor, the gateway in two forms, and the peer where it is there. */
import { type BenchProcess, startBenchProcess } from '../shared/bench-process.ts';
import { buildProgram } from '../shared/built-program.ts';
import { buildChatBundle, chatEnvironment } from '../shared/chat-bundle.ts';
import { lambdaFlags } from '../shared/lambda-flags.ts';
import type { Target } from './load.ts';
import { peerHeaders, startPeer } from './peer.ts';

/** `overNetwork`: with the log write's own request to a store on loopback. */
export type ContenderName = 'direct' | 'floor' | 'gateway' | 'overNetwork' | 'peer';

export interface Contender {
  name: ContenderName;
  process: BenchProcess;
  target: Target;
}

export interface Contenders {
  all: Contender[];
  /** A gateway that nobody has asked for anything yet. */
  startGateway(): Promise<Contender>;
  aws: BenchProcess;
  stop(): Promise<void>;
}

const apiKey = `pt_live_${'0'.repeat(32)}`;

export async function startContenders(): Promise<Contenders> {
  const bundle = buildChatBundle();
  const upstream = await startBenchProcess('shared/upstream.ts');
  const aws = await startBenchProcess('shared/fake-aws.ts');
  const environment = {
    CHAT_BUNDLE: bundle.directory,
    ...chatEnvironment({ upstream: upstream.origin, aws: aws.origin }),
  };
  const started: BenchProcess[] = [upstream, aws];
  const start = async (program: string, variables: Record<string, string>, flags: string[] = []) => {
    const process = await startBenchProcess(program, variables, flags);
    started.push(process);
    return process;
  };
  const host = buildProgram('shared/chat-host.ts', bundle.directory);
  const floor = buildProgram('overhead/floor.ts', bundle.directory);
  const startGateway = async (name: ContenderName, variables: Record<string, string>) =>
    gatewayOf(name, await start(host, { ...environment, ...variables }, lambdaFlags(256)));
  const inProcess = { STORE: 'in-process' };

  const all = [
    openAiOf('direct', upstream),
    openAiOf('floor', await start(floor, { UPSTREAM: upstream.origin })),
    await startGateway('gateway', inProcess),
    await startGateway('overNetwork', {}),
  ];
  const peer = await startPeer();
  if (peer !== null) {
    started.push(peer);
    all.push(openAiOf('peer', peer, peerHeaders(upstream.origin)));
  }
  return {
    all,
    aws,
    startGateway: () => startGateway('gateway', inProcess),
    async stop() {
      await Promise.all(started.map((process) => process.stop()));
      bundle.remove();
    },
  };
}

function openAiOf(
  name: ContenderName,
  process: BenchProcess,
  headers: Record<string, string> = {},
): Contender {
  const target = {
    url: `${process.origin}/v1/chat/completions`,
    headers: { authorization: 'Bearer sk-bench', ...headers },
    modelName: (model: string) => model,
  };
  return { name, process, target };
}

function gatewayOf(name: ContenderName, process: BenchProcess): Contender {
  const target = {
    url: `${process.origin}/ai/chat/completions`,
    headers: { authorization: `Bearer ${apiKey}` },
    modelName: (model: string) => `openai/${model}`,
  };
  return { name, process, target };
}
