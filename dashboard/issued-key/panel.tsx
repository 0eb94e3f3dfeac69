import { Button } from '#dashboard/components/button.tsx';
import { DialogActions } from '#dashboard/components/overlay/dialog.tsx';
import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useTimeZone } from '#dashboard/range/zone.ts';
import type { IssuedKey } from './issued-key.ts';
import { KeyBox } from './key-box.tsx';
import { KeyTrial } from './key-trial.tsx';

interface IssuedKeyPanelProps {
  issued: IssuedKey;
  isCopied: boolean;
  onCopied: () => void;
  onDone: () => void;
}

/** Shows a new key once, with a first request and code that uses it. */
export function IssuedKeyPanel({ issued, isCopied, onCopied, onDone }: IssuedKeyPanelProps) {
  const { key, replaced } = issued;
  const timeZone = useTimeZone();
  const { key_revocation_seconds: revocationSeconds } = useOrganization();

  return (
    // Also when the key is copied by other means than the buttons, alone or within code.
    <div onCopy={onCopied}>
      <div className="flex flex-col gap-6">
        <KeyBox text={key} onCopied={onCopied}>
          {replaced && (
            <>
              {' '}
              The old key <code className="font-mono text-[0.8125rem]">…{replaced.last_four}</code>{' '}
              {replaced.state === 'active' && replaced.ends_at
                ? `keeps working until ${formatDateTime(new Date(replaced.ends_at), undefined, timeZone)}.`
                : `is refused everywhere within ${revocationSeconds} seconds.`}
            </>
          )}
        </KeyBox>
        <KeyTrial apiKey={key} onCopied={onCopied} />
      </div>
      <DialogActions>
        <Button variant={isCopied ? 'primary' : 'secondary'} onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
