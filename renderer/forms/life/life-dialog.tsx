import { ApproveDialog, WithdrawDialog } from './approve-dialog.tsx';
import { CutOverDialog } from './cut-over-dialog.tsx';
import { FinaliseDialog } from './finalise-dialog.tsx';
import type { LifeChoice } from './life-choices.ts';
import type { LifeDialogProps } from './life-parts.tsx';
import { RehearseDialog } from './rehearse-dialog.tsx';
import { RollBackDialog } from './roll-back-dialog.tsx';

/** Asks before something is done with VMs on their way: what happens, what stays, who decided it. */
export function LifeDialog({ choice, ...props }: LifeDialogProps & { readonly choice: LifeChoice }) {
  switch (choice) {
    case 'rehearse':
      return <RehearseDialog {...props} />;
    case 'approve':
      return <ApproveDialog {...props} />;
    case 'withdraw':
      return <WithdrawDialog {...props} />;
    case 'cut-over':
      return <CutOverDialog {...props} />;
    case 'roll-back':
      return <RollBackDialog {...props} />;
    case 'finalise':
      return <FinaliseDialog {...props} />;
  }
}
