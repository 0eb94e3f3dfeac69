import { useEffect, useRef, useState } from 'react';
import { analyticsPath, type LogParameters } from '#dashboard/api/analytics.ts';
import { get } from '#dashboard/api/client.ts';
import { saveFile } from '#dashboard/api/download.ts';
import { Button } from '#dashboard/components/button.tsx';
import { CopyField } from '#dashboard/components/copying.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { Dialog, DialogActions } from '#dashboard/components/overlay/dialog.tsx';
import { formatCount, formatRequests } from '#dashboard/components/values/number-format.ts';
import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { rangeInstants } from '#dashboard/range/range.ts';
import {
  type EntryExport,
  type ExportProgress,
  exportEntries,
  exportFileName,
  maxExportedEntries,
  noProgress,
} from './export-entries.ts';
import { maxSortedEntries } from './list/use-log-list.ts';

interface ExportDialogProps {
  open: boolean;
  /** The parameters of the list. */
  parameters: LogParameters;
  onClose: () => void;
}

/** Saves the requests of the list as a file. Closing it cancels what is running. */
export function ExportDialog({ open, parameters, onClose }: ExportDialogProps) {
  const { id: organizationId } = useOrganization();
  const { state, start, reset } = useExport(organizationId, parameters, save);
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      onClosed={reset}
      closesOnOutsidePress={state.step !== 'running'}
      title="Export requests"
      description={`The requests of the list as CSV, with all fields: up to ${formatCount(maxEntriesOf(parameters))}, in its order.`}
    >
      {state.step === 'running' && (
        <Progress
          progress={state.progress}
          maxEntries={maxEntriesOf(parameters)}
          timeZone={parameters.time_zone}
        />
      )}
      {state.step === 'failed' && (
        <Notice tone="danger" role="alert" title="The export failed">
          {state.error.message}
        </Notice>
      )}
      {state.step === 'done' && <Result result={state.result} parameters={parameters} />}
      <DialogActions>
        <Button onClick={onClose}>{state.step === 'done' ? 'Close' : 'Cancel'}</Button>
        {state.step === 'ready' && (
          <Button variant="primary" onClick={start}>
            Export
          </Button>
        )}
        {state.step === 'failed' && (
          <Button variant="primary" onClick={start}>
            Try again
          </Button>
        )}
        {state.step === 'done' && state.result.entries > 0 && (
          <Button onClick={() => save(state.result)}>Save again</Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function maxEntriesOf({ sort }: LogParameters): number {
  return sort === undefined ? maxExportedEntries : maxSortedEntries;
}

function save({ file, entries, newest, oldest }: EntryExport): void {
  if (entries > 0) saveFile(file, exportFileName(newest ?? '', oldest ?? ''));
}

interface ProgressProps {
  progress: ExportProgress;
  maxEntries: number;
  timeZone: string | undefined;
}

function Progress({ progress, maxEntries, timeZone }: ProgressProps) {
  const { entries, oldest } = progress;
  return (
    <div>
      <progress
        aria-label="Exported requests"
        value={entries}
        max={maxEntries}
        className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-selected [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-selected [&::-webkit-progress-value]:bg-accent"
      />
      <p role="status" className="mt-2 text-[0.8125rem] text-muted tabular-nums">
        {formatCount(entries)} requests
        {oldest !== null && `, back to ${formatDateTime(new Date(oldest), undefined, timeZone ?? 'UTC')}`}
      </p>
    </div>
  );
}

function Result({ result, parameters }: { result: EntryExport; parameters: LogParameters }) {
  const { entries, isComplete } = result;
  if (!isComplete && parameters.sort !== undefined) {
    return (
      <Notice tone="warning" role="alert" title="The file has the first requests of the list">
        More match than the {formatCount(entries)} of the file. Narrow the range or the filters for the
        others.
      </Notice>
    );
  }
  if (!isComplete) return <TooMany parameters={parameters} />;
  return (
    <Notice tone="success" role="status">
      {entries === 0 ? 'The list is empty.' : `The file has ${formatRequests(entries)}.`}
    </Notice>
  );
}

function TooMany({ parameters }: { parameters: LogParameters }) {
  const { id: organizationId } = useOrganization();
  const window = rangeInstants(parameters, new Date(), parameters.time_zone ?? 'UTC');
  return (
    <div className="flex flex-col gap-4">
      <Notice
        tone="warning"
        role="alert"
        title={`The list has more than ${formatCount(maxExportedEntries)} requests`}
      >
        The file has the first {formatCount(maxExportedEntries)}. An operator exports all of the range,
        whatever the filters:
      </Notice>
      <CopyField label="Command" hiddenLabel text={exportCommand(organizationId, window)} />
    </div>
  );
}

const pageEntries = 1000;

type ExportState =
  | { step: 'ready' }
  | { step: 'running'; progress: ExportProgress }
  | { step: 'failed'; error: Error }
  | { step: 'done'; result: EntryExport };

/** Reads all entries of the list into a file. Leaving the view cancels it. */
function useExport(organizationId: string, parameters: LogParameters, onDone: (result: EntryExport) => void) {
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
      get(analyticsPath(organizationId, '/logs', { ...parameters, limit: pageEntries, cursor }), signal);
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

/** The operator's command that exports all entries of the window, whatever their filters. */
export function exportCommand(organizationId: string, { start, end }: { start: Date; end: Date }): string {
  const bounds = `--from ${start.toISOString()} --to ${end.toISOString()}`;
  return `npm run admin -- logs export --organization ${organizationId} ${bounds} --format csv`;
}
