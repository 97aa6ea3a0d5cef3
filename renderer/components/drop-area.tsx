import UploadFileIcon from '@mui/icons-material/UploadFileOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useRef, useState, type DragEvent } from 'react';
import { droppedFiles, type NamedFile } from './dropped-files.ts';

interface Props {
  /** Endings with their dots, e.g. `['.csv']`. Others that lie in a dropped folder are passed over. */
  readonly endings: readonly string[];
  readonly prompt: string;
  readonly choose: string;
  readonly many?: boolean;
  readonly onFiles: (files: readonly NamedFile[]) => void;
}

/** Takes files by dropping (folders too) or by choosing. */
export function DropArea({ endings, prompt, choose, many = false, onFiles }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const take = (files: readonly NamedFile[]) => files.length > 0 && onFiles(many ? files : files.slice(0, 1));
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    take(await droppedFiles(event.dataTransfer, endings));
  };
  return (
    <Box
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => void drop(event)}
      sx={{
        border: 2,
        borderStyle: 'dashed',
        borderColor: isOver ? 'primary.main' : 'divider',
        bgcolor: isOver ? 'action.hover' : 'transparent',
        borderRadius: 2,
        p: 4,
        textAlign: 'center',
      }}
    >
      <UploadFileIcon color="action" sx={{ fontSize: 40 }} aria-hidden />
      <Typography sx={{ mb: 2 }}>{prompt}</Typography>
      <Button variant="contained" onClick={() => input.current?.click()}>
        {choose}
      </Button>
      <input
        ref={input}
        type="file"
        accept={endings.join(',')}
        multiple={many}
        hidden
        aria-label={choose}
        onChange={(event) => {
          take(
            [...(event.target.files ?? [])].map((file) => ({
              name: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
              file,
            })),
          );
          event.target.value = '';
        }}
      />
    </Box>
  );
}
