package sealmark.spark;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** Opens the text columns of a Parquet file, at any depth; schema, other columns, metadata and compression stay. */
final class ParquetColumns {
    /** The writer adds its own. */
    private static final String WRITER = "writer.model.name";

    private ParquetColumns() {}

    static void open(TaskReader opener, LogFile file, Path output, Configuration configuration) throws IOException {
        Path input = new Path(file.path());
        ParquetMetadata footer;
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(input, configuration))) {
            footer = reader.getFooter();
        } catch (RuntimeException e) {
            throw damaged(e);
        }
        Map<String, String> metadata = new HashMap<>(footer.getFileMetaData().getKeyValueMetaData());
        metadata.remove(WRITER);
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), input).withConf(configuration).build();
                ParquetWriter<Group> writer = ExampleParquetWriter.builder(HadoopOutputFile.fromPath(output, configuration))
                        .withType(footer.getFileMetaData().getSchema()).withConf(configuration)
                        .withCompressionCodec(codec(footer.getBlocks())).withExtraMetaData(metadata).build()) {
            for (Group row = next(reader); row != null; row = next(reader)) {
                writer.write(opened(row, opener));
            }
        }
    }

    private static Group next(ParquetReader<Group> reader) throws IOException {
        try {
            return reader.read();
        } catch (RuntimeException e) {
            throw damaged(e);
        }
    }

    private static Compression.Damaged damaged(RuntimeException why) {
        return new Compression.Damaged("the Parquet file is damaged", why);
    }

    private static CompressionCodecName codec(List<BlockMetaData> blocks) {
        return blocks.isEmpty() ? CompressionCodecName.UNCOMPRESSED : blocks.get(0).getColumns().get(0).getCodec();
    }

    private static Group opened(Group row, TaskReader opener) {
        GroupType type = row.getType();
        Group copy = new SimpleGroup(type);
        for (int field = 0; field < type.getFieldCount(); field++) {
            for (int index = 0; index < row.getFieldRepetitionCount(field); index++) {
                if (!type.getType(field).isPrimitive()) {
                    copy.add(field, opened(row.getGroup(field, index), opener));
                } else {
                    add(copy, field, row, index, opener);
                }
            }
        }
        return copy;
    }

    private static void add(Group copy, int field, Group row, int index, TaskReader opener) {
        PrimitiveType type = row.getType().getType(field).asPrimitiveType();
        switch (type.getPrimitiveTypeName()) {
            case INT32 -> copy.add(field, row.getInteger(field, index));
            case INT64 -> copy.add(field, row.getLong(field, index));
            case BOOLEAN -> copy.add(field, row.getBoolean(field, index));
            case FLOAT -> copy.add(field, row.getFloat(field, index));
            case DOUBLE -> copy.add(field, row.getDouble(field, index));
            case INT96 -> copy.add(field, row.getInt96(field, index));
            case BINARY, FIXED_LEN_BYTE_ARRAY -> {
                Binary value = row.getBinary(field, index);
                copy.add(field, isText(type) ? Binary.fromConstantByteArray(opener.text(value.getBytes())) : value);
            }
        }
    }

    /** Decimals and UUIDs are bytes, too. */
    private static boolean isText(PrimitiveType type) {
        LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
        return type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY && (logical == null
                || logical.equals(LogicalTypeAnnotation.stringType()) || logical.equals(LogicalTypeAnnotation.jsonType()));
    }
}
