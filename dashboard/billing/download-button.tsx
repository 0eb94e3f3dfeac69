import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { analyticsPath } from '#dashboard/api/analytics.ts';
import { download } from '#dashboard/api/download.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifyFailure } from '#dashboard/components/feedback/toast.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { monthTitle } from './months.ts';

const formatTitles = { csv: 'CSV', focus: 'FOCUS CSV' } as const;

interface DownloadButtonProps {
  month: string;
  format: keyof typeof formatTitles;
  size?: 'small' | 'medium';
}

/** Downloads a statement as a file. */
export function DownloadButton({ month, format, size = 'medium' }: DownloadButtonProps) {
  const { id: organizationId } = useOrganization();
  const downloading = useMutation({
    mutationFn: () => download(analyticsPath(organizationId, `/statements/${month}`, { format })),
    onError: ({ message }) => notifyFailure(message),
  });
  const title = formatTitles[format];
  return (
    <Button
      size={size}
      aria-label={`Download ${monthTitle(month)} as ${title}`}
      pending={downloading.isPending}
      onClick={() => downloading.mutateAsync()}
    >
      <Download aria-hidden />
      {title}
    </Button>
  );
}
