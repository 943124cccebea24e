// Starts `stormproof lsp`, which does the work, and opens files in the studio.
const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

const command = () => workspace.getConfiguration("stormproof").get("command");

async function openInStudio(folder) {
  const document = window.activeTextEditor?.document;
  if (document?.languageId !== "storm") return;
  // The settings of a workspace may call any file a .storm file, and the command runs `file.py:name`.
  if (!document.fileName.endsWith(".storm")) {
    window.showInformationMessage("The name of the file must end in .storm.");
    return;
  }
  // The studio reads the file, so what is typed must be in it.
  if (document.isUntitled || !(await document.save())) {
    window.showInformationMessage("Save the file first: the studio opens it from disk.");
    return;
  }
  // No shell in between: the name of the file may contain anything.
  window.createTerminal({ name: "stormproof studio", shellPath: command(), shellArgs: ["studio", document.fileName], cwd: folder }).show();
}

exports.activate = async (context) => {
  // What is started is started in the folder of the extension, not in that of the workspace.
  const folder = context.extensionPath;
  context.subscriptions.push(commands.registerCommand("stormproof.openInStudio", () => openInStudio(folder)));
  const server = { command: command(), args: ["lsp"], options: { cwd: folder } };
  client = new LanguageClient("stormproof", "stormproof", server, { documentSelector: [{ language: "storm" }] });
  try {
    await client.start();
  } catch {
    window.showErrorMessage(`'${command()} lsp' cannot be started. Install it with: pip install 'stormproof[lsp]', or set stormproof.command.`);
  }
};

exports.deactivate = () => client?.stop();
