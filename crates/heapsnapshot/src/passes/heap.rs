//! The tables of a snapshot by ordinals and fields.

use std::ops::Range;

use crate::error::LoadError;
use crate::header::Header;

/// Stands for a type that the snapshot does not have; no node or edge has it.
const NONE: u32 = u32::MAX;

/// Numbers of the node types that the passes tell apart.
pub(super) struct NodeTypes {
    pub array: u32,
    pub closure: u32,
    pub code: u32,
    pub concatenated: u32,
    pub hidden: u32,
    pub native: u32,
    pub object: u32,
    pub regexp: u32,
    pub sliced: u32,
    pub string: u32,
    pub synthetic: u32,
}

/// Numbers of the edge types that the passes tell apart.
pub(super) struct EdgeTypes {
    pub element: u32,
    pub hidden: u32,
    pub internal: u32,
    pub invisible: u32,
    pub shortcut: u32,
    pub weak: u32,
}

/// Nodes and edges. Nodes are told by ordinals (0, 1, 2 …), edges too.
pub(super) struct Heap {
    pub nodes: Vec<u32>,
    pub edges: Vec<u32>,
    /// For each node the index of its first edge among the edges' numbers; one more at the end.
    pub first_edge: Vec<u32>,
    /// For each edge the ordinal of the node it leads to.
    pub targets: Vec<u32>,
    pub root: usize,
    pub node_width: usize,
    pub edge_width: usize,
    pub node_types: NodeTypes,
    pub edge_types: EdgeTypes,
    /// Names of all node types.
    pub type_names: Vec<String>,
    /// Position of a node's detachedness.
    pub detachedness: Option<usize>,
    node_type: usize,
    name: usize,
    id: usize,
    self_size: usize,
    edge_type: usize,
    edge_name: usize,
}

impl Heap {
    /// `nodes` and `edges` have been checked.
    pub fn new(header: &Header, nodes: Vec<u32>, edges: Vec<u32>) -> Result<Self, LoadError> {
        let fields = &header.fields;
        // The front-end's `buildEdgeIndexes` and `startInitStep1InSecondThread`.
        let mut first_edge = Vec::with_capacity(nodes.len() / fields.node + 1);
        let mut index = 0_u32;
        for node in nodes.chunks_exact(fields.node) {
            first_edge.push(index);
            index += node[fields.node_edge_count] * fields.edge as u32;
        }
        first_edge.push(index);
        let width = fields.node as u32;
        let targets = edges.chunks_exact(fields.edge).map(|edge| edge[fields.edge_to] / width).collect();
        let type_names = header.node_type_names()?;
        let edge_names = header.edge_type_names()?;
        let place = |names: &[String], name: &str| names.iter().position(|n| n == name).map_or(NONE, |at| at as u32);
        let node = |name| place(&type_names, name);
        let edge = |name| place(&edge_names, name);
        let node_types = NodeTypes {
            array: node("array"),
            closure: node("closure"),
            code: node("code"),
            concatenated: node("concatenated string"),
            hidden: node("hidden"),
            native: node("native"),
            object: node("object"),
            regexp: node("regexp"),
            sliced: node("sliced string"),
            string: node("string"),
            synthetic: node("synthetic"),
        };
        let edge_types = EdgeTypes {
            element: edge("element"),
            hidden: edge("hidden"),
            internal: edge("internal"),
            invisible: edge("invisible"),
            shortcut: edge("shortcut"),
            weak: edge("weak"),
        };
        Ok(Heap {
            nodes,
            edges,
            first_edge,
            targets,
            root: header.root_index as usize / fields.node,
            node_width: fields.node,
            edge_width: fields.edge,
            node_types,
            edge_types,
            type_names,
            detachedness: fields.node_detachedness,
            node_type: fields.node_type,
            name: fields.node_name,
            id: fields.node_id,
            self_size: fields.node_self_size,
            edge_type: fields.edge_type,
            edge_name: fields.edge_name,
        })
    }

    pub fn count(&self) -> usize {
        self.first_edge.len() - 1
    }

    pub fn ordinals(&self) -> Range<usize> {
        0..self.count()
    }

    pub fn kind(&self, node: usize) -> u32 {
        self.nodes[node * self.node_width + self.node_type]
    }

    /// Index of the name among the strings.
    pub fn name(&self, node: usize) -> u32 {
        self.nodes[node * self.node_width + self.name]
    }

    pub fn rename(&mut self, node: usize, name: u32) {
        self.nodes[node * self.node_width + self.name] = name;
    }

    pub fn id(&self, node: usize) -> u32 {
        self.nodes[node * self.node_width + self.id]
    }

    pub fn size(&self, node: usize) -> u32 {
        self.nodes[node * self.node_width + self.self_size]
    }

    pub fn resize(&mut self, node: usize, size: u32) {
        self.nodes[node * self.node_width + self.self_size] = size;
    }

    /// The edges of a node.
    pub fn edges_of(&self, node: usize) -> Range<usize> {
        self.first_edge[node] as usize / self.edge_width..self.first_edge[node + 1] as usize / self.edge_width
    }

    pub fn edge_kind(&self, edge: usize) -> u32 {
        self.edges[edge * self.edge_width + self.edge_type]
    }

    /// Index of its name among the strings, or its number; see [`Heap::has_string_name`].
    pub fn edge_name(&self, edge: usize) -> u32 {
        self.edges[edge * self.edge_width + self.edge_name]
    }

    /// Whether an edge's name is a string.
    pub fn has_string_name(&self, edge: usize) -> bool {
        let kind = self.edge_kind(edge);
        kind != self.edge_types.element && kind != self.edge_types.hidden
    }

    pub fn target(&self, edge: usize) -> usize {
        self.targets[edge] as usize
    }
}
