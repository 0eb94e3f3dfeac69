import { useEffect, useRef, useState } from 'react';
import { analyticsPath, type LogParameters } from '#dashboard/api/analytics.ts';
import { get } from '#dashboard/api/client.ts';
import type { LogList } from '#lambdas/accounts/analytics/responses.ts';
import { type EntryExport, type ExportProgress, exportEntries, noProgress } from './export-entries.ts';

const pageEntries = 1000;

type ExportState =
  | { step: 'ready' }
  | { step: 'running'; progress: ExportProgress }
  | { step: 'failed'; error: Error }
  | { step: 'done'; result: EntryExport };

/** Reads all entries of the list into a file. Leaving the view cancels it. */
export function useExport(
  organizationId: string,
  parameters: LogParameters,
  onDone: (result: EntryExport) => void,
) {
  const [state, setState] = useState<ExportState>({ step: 'ready' });
  const controller = useRef<AbortController>(null);
  const cancel = () => controller.current?.abort();
  useEffect(() => () => controller.current?.abort(), []);

  const start = async () => {
    const current = new AbortController();
    controller.current = current;
    const { signal } = current;
    setState({ step: 'running', progress: noProgress });
    const readPage = (cursor: string) =>
      get<LogList>(
        analyticsPath(organizationId, '/logs', { ...parameters, limit: pageEntries, cursor }),
        signal,
      );
    const onProgress = (progress: ExportProgress) =>
      !signal.aborted && setState({ step: 'running', progress });
    try {
      const result = await exportEntries(readPage, onProgress);
      if (signal.aborted) return;
      setState({ step: 'done', result });
      onDone(result);
    } catch (error) {
      if (!signal.aborted)
        setState({ step: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
  return {
    state,
    start,
    reset() {
      cancel();
      setState({ step: 'ready' });
    },
  };
}
