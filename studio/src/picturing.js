// A chart as a picture that can be sent: PNG, and snippets to embed.

const SCALE = 2;

// The SVG carries its own style sheet; the browser draws it in the colours of print.
export async function toPng(svg) {
  const image = new Image();
  const size = /width="([\d.]+)" height="([\d.]+)"/.exec(svg);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Number(size[1]) * SCALE;
  canvas.height = Number(size[2]) * SCALE;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

// For documents that take HTML, and for those that draw Mermaid.
export function snippets(svg, mermaid, said) {
  const words = said.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  return {
    html: `<figure>\n${svg.trim()}\n<figcaption>${words}</figcaption>\n</figure>\n`,
    markdown: `${said}\n\n\`\`\`mermaid\n${mermaid.trim()}\n\`\`\`\n`,
  };
}
