import { Download } from 'lucide-react';
import { useState } from 'react';
import { useKeyNames } from '#dashboard/charts/model-colours.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifyFailure } from '#dashboard/components/feedback/toast.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';

/** @param report undefined while it loads */
export function ExportButton({ report }: { report: CostReport | undefined }) {
  const keyNames = useKeyNames();
  const [isPending, setPending] = useState(false);
  const save = async () => {
    if (report === undefined) return;
    setPending(true);
    try {
      const { saveUsage } = await import('./save-usage.ts');
      saveUsage(report, keyNames);
    } catch {
      notifyFailure('The export could not be loaded. Check your connection and try again.');
    } finally {
      setPending(false);
    }
  };
  return (
    <Button size="small" disabled={report === undefined} pending={isPending} onClick={save}>
      <Download aria-hidden />
      Export CSV
    </Button>
  );
}
